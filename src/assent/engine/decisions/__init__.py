"""People's decisions: whether they count, what they change, and what they answer."""
