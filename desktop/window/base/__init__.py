"""What the other folders of the window share."""
