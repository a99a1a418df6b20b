"""The language of the window, and how it writes times and numbers."""
