"""What transactions share: statements and commits on PostgreSQL, the writer thread on SQLite."""
