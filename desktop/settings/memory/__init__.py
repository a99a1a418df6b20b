"""The page of memories."""
