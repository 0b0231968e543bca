"""Editing a call's arguments: a form made from the tool's JSON schema, and back to JSON."""
