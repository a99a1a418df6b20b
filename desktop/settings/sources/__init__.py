"""Where the settings pages read and save values."""
