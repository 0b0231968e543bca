"""The full-screen inbox: what waits for one person, its cards, and deciding, by keyboard."""
