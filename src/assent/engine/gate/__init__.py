"""The gate: takes in arguments, applies the rules, and plans who is asked about a call."""
