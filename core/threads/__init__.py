"""Long work beside the loop, in pieces short enough that nothing else has to wait for it."""
