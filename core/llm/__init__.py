"""Models: clients that answer a conversation piece by piece (AGENTS_AND_TOOLS §2)."""
