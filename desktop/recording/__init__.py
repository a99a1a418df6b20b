"""Recording: the banner while it is on, and the review at its end."""
