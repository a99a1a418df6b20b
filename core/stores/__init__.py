"""Observable state: what the screen shows, folded from events, without a window."""
