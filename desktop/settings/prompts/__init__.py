"""The page of the prompt library."""
