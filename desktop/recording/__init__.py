"""Recording: its banner, and the review at its end."""
