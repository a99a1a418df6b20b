"""Asks a provider: requests, retries, waits and failures, whatever the wire format."""
