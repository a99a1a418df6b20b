"""The web as the tools reach it: which address, over which connection, and what came back."""
