"""Authentication: credentials, sessions, and their protection."""
