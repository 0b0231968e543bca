"""The gate: arguments taken in, rules applied, and who is asked what about a call."""
