"""Export and import: what goes into a file, and what comes in from it."""
