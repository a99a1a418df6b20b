"""From the composer to the core: sending, slash commands, mentions, attachments, agent and mode."""
