"""Rows and transactions: one schema, two runners."""
