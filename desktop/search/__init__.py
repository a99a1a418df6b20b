"""Search in all workflows. `SearchPanel` in `panel.py` is its only door."""
