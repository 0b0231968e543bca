"""Talking to agents."""
