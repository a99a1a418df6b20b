"""Tools: the registry, calls, and the built-in, web and MCP tools (AGENTS_AND_TOOLS §3 to §7)."""
