"""Writing events: the journal of all runs, and the journal of a run."""
