"""Keys: what can be done by them, who decides which they are, and what is refused (UI §4)."""
