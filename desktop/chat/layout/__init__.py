"""Layout of turns without Qt: blocks, their sizes and positions."""
