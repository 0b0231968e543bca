"""What happened: calls, their stories, the record."""
