"""The page of consent: mode, exceptions, audit log."""
