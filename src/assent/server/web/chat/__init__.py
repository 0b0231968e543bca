"""Pages for conversations with agents."""
