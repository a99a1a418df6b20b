"""The right sidebar: what the agents and steps of the viewed workflow did."""
