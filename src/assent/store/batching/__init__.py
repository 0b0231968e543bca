"""Shared by transactions: statements and commits on PostgreSQL, the writer thread on SQLite."""
