"""The box to say something in. `Composer` in `composer.py` is its only door."""
