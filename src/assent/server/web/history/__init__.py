"""Pages for the past: all calls, the history of one call, and the record."""
