"""The names of channels as people know them."""

from typing import Final

_NAMES: Final = {"discord": "Discord", "slack": "Slack", "email": "E-mail", "web": "Web"}


def channel_name(name: str) -> str:
    """Return what people call a channel; one that a deployment named keeps its name."""
    return _NAMES.get(name, name)
