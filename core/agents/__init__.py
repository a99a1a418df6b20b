"""The agent loop of model answers and tool calls, which every agent step runs (AGENTS_AND_TOOLS §3)."""
