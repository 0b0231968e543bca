"""The page of one request: its card, its forms, and what the person decides."""
