"""The page of keyboard shortcuts."""
