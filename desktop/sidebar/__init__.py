"""The left sidebar: every workflow in one list, by section, and the ways to a new one."""
