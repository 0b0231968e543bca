"""Adapters: agents of other frameworks whose tool calls wait for people, too."""
