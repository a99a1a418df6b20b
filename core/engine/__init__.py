"""The engine: ordering, checkpoints, cancellation and recovery for chat turns and templates alike."""
