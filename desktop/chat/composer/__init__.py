"""The composer of a message, with its attachments, its queue and its token bar."""
