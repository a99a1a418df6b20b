"""The main window: what stands where, and what each intent leads to."""
