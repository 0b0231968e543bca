"""Everything that pages, the API and the terminal read."""
