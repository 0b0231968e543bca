"""Discord as a channel: `Assent(url, agents=…, channels=Discord(token))`."""

from assent.channels.discord.channel import Discord

__all__ = ["Discord"]
