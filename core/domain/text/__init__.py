"""Pure functions on text: JSON, masking, search, graphemes, addresses."""
