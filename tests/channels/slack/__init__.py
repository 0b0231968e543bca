"""A Slack on a loopback port: the real SDK talks to it, and tests play the people in it."""

from tests.channels.slack.faults import (
    CutOff,
    Held,
    LostResponse,
    RateLimited,
    Refused,
    ServerError,
)
from tests.channels.slack.member import Member
from tests.channels.slack.server import LoopbackSlack
from tests.channels.slack.workspace import Channel, Ephemeral, Message, User, View

__all__ = [
    "LoopbackSlack",
    "Member",
    "User",
    "Channel",
    "Message",
    "Ephemeral",
    "View",
    "CutOff",
    "Held",
    "LostResponse",
    "RateLimited",
    "Refused",
    "ServerError",
]
