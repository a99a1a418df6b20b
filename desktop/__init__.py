"""The window: Qt around the core's services and stores."""
