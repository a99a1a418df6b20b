"""Agents: the loop of model answers and tool calls that every agent step runs (AGENTS_AND_TOOLS §3)."""
