"""What a run waits for: questions, approvals, consent, and their answers."""
