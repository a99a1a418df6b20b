"""The activity panel: what happened in the viewed workflow."""
