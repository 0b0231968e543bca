"""The demo: an agent with real tools in one folder and a scripted model."""
