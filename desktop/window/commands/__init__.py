"""Commands and their keys: the table, menus, keyboard, palette."""
