"""Model clients, which stream the answer to a conversation (AGENTS_AND_TOOLS §2)."""
