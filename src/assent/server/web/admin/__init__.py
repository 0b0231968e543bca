"""Tools, people, keys and settings."""
