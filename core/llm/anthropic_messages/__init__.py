"""Anthropic's Messages API, which several providers and local servers also speak (AGENTS_AND_TOOLS §2)."""
