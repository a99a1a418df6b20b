"""Running runs: start, drive, steps, attempts, checkpoints, recovery."""
