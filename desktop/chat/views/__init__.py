"""One widget per kind of block. Views show a value, measure it, and emit what the user does."""
