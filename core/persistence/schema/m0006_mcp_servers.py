"""Migration 6: MCP servers, and what each offered when it was last asked.

    mcp_server      id → data
    mcp_tool_list   id → tools

The list may be large and changes on its own, so it lies in a row that is written only when it is another.
"""

TABLES = ("mcp_server", "mcp_tool_list")

STATEMENTS = tuple(f"DEFINE TABLE {table} SCHEMALESS" for table in TABLES)
