"""What a turn looks like, decided without Qt: blocks, their sizes and places."""
