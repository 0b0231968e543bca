"""Who is calling: credentials, sessions, and what protects them."""
