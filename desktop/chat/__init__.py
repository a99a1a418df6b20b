"""The conversation: what was said in a workflow, and the box to say something in."""
