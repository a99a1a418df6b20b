"""Observable state: what the screen shows, folded from the facts, without a window."""
