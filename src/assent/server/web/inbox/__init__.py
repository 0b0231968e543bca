"""Pages for open requests: the list, and deciding several at once."""
