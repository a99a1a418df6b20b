"""Tools of MCP servers: programs that are started, or addresses that are asked (AGENTS_AND_TOOLS §7)."""
