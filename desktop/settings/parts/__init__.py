"""Building blocks of the settings pages: page, list, form, row, undo."""
