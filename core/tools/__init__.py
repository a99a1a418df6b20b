"""Tools: what is registered, under which checks it is called, and the built-in ones (AGENTS_AND_TOOLS §4 to §6)."""
