"""One widget for each kind of block. They show a value, measure it, and tell what a person did."""
