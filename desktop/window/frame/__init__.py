"""The main window around its panes: layout, start and quit, notifications, status line."""
