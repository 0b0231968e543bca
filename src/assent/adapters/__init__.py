"""Adapters: tools and agents of other systems, whose calls pass the gate, too."""
