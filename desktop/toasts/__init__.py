"""Toasts: their texts, their cards, and the stack over the window (UI §7)."""
