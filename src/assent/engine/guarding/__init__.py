"""Calls of agents outside: recorded, ruled on, decided by people, and run under claims."""
