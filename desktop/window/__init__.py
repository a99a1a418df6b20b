"""The main window: its parts, its commands, and the controllers that connect both to the core."""
