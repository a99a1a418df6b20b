"""Building blocks of the window: they take values and emit intents, and import no store."""
