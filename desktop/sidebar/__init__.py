"""The left sidebar: all workflows in one list, by section, and buttons for a new workflow, the archive and settings."""
