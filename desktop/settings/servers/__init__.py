"""The page of MCP servers."""
