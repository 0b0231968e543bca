"""Statements and commits that PostgreSQL transactions share, and the fate of a lost commit."""
