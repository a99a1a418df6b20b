"""Notifications of the desktop: what one says, and the services that show it."""
