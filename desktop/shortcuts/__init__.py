"""Keys and commands: their names, scopes and rules, and the keymap (UI §4)."""
