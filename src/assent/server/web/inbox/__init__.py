"""What waits: the list and several decided at once."""
