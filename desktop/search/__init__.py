"""Search in all workflows (UI §4)."""
