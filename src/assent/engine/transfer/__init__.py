"""Export and import of conversations as JSON."""
