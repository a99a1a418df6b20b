"""Recordings: tool calls become steps, steps become a template (ENGINE §11)."""
