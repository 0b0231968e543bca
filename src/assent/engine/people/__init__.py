"""Accounts, keys, sessions and links."""
