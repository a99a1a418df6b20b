"""The palette: go to anything by typing a part of its name (UI §4)."""
