"""Chat completions as OpenAI and compatible servers stream them (AGENTS_AND_TOOLS §2, §10)."""
