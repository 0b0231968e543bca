"""Rows and transactions: one schema, two databases."""
