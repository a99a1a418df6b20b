"""The scrolling conversation and the search in it. Its interface is `Transcript` in `transcript.py`."""
