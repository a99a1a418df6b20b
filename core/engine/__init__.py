"""The one engine: order, checkpoints, cancel and recovery for chat turns and templates alike."""
