"""Short notices over the window: their words, their cards, and the pile that they stand in."""
