"""Programs that build parts of the documentation."""
