"""Building blocks of the window: they know values and emit intents, never a store."""
