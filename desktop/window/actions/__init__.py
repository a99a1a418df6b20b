"""What a user does to a workflow: rename, retry, archive, record, export."""
