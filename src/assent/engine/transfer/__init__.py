"""Conversations out and in, as JSON."""
