"""Where everything is kept: the embedded database, and its twin in memory."""
