"""Pictures: preparing them to be sent, decoding and showing them."""
