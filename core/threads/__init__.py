"""Long work outside the event loop, in pieces short enough not to delay anything else."""
