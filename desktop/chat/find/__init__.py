"""Finding in the conversation that is shown: what stands where, in blocks that were never laid out too (UI §4, §5)."""
