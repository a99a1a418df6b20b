"""The scrolling conversation. `Transcript` in `transcript.py` is its only door."""
