"""The settings: pages of controls that apply at once, with an undo."""
