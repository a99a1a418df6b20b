"""The settings dialog: pages of controls that apply immediately and can be undone."""
