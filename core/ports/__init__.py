"""What the engine and the agents need from the outside, as Protocols."""
