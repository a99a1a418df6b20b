"""Tools of MCP servers, which run as programs or are reached by URL (AGENTS_AND_TOOLS §7)."""
