"""E-mail: people get a card, and a link that opens its review."""

from assent.channels.email.channel import Email

__all__ = ["Email"]
