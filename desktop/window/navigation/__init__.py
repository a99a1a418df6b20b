"""Going from one workflow to another: history, recent list, preview, search."""
