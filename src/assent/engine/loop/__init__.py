"""The agent loop: messages in, model answers, their calls on record, and prompts."""
