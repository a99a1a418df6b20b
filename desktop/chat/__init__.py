"""The conversation of a workflow: its transcript, and the composer below it."""
