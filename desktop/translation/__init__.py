"""What it says: the language of the window, and how times and numbers are written in it."""
