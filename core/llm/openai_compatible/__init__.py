"""Chat completions as OpenAI's servers, and those that follow them, stream them (AGENTS_AND_TOOLS §2, §10)."""
