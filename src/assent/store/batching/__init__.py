"""What shares a statement or a commit on PostgreSQL, and what became of one that was cut off."""
