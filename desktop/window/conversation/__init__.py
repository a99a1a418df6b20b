"""The pane of one workflow: header, transcript, cards, drafts, find."""
