"""Pages for managing tools, people and keys, and each person's own settings."""
