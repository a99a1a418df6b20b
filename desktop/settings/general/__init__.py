"""Pages of single settings: appearance, limits, notifications, about."""
