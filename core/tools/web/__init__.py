"""Web access of the tools: the address check, the connection, and the response body."""
