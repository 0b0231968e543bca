"""Presentation: a request becomes a `Card`, and a card becomes text for one surface."""
