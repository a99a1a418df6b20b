"""OpenAI's responses, in which a model keeps its reasoning between calls (AGENTS_AND_TOOLS §2)."""
