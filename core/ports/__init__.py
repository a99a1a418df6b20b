"""What the engine and the agents need from the outside: Protocols and plain data."""
