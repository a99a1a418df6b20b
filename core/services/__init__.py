"""What the core can be asked to do, by the window and by the command line alike."""
