"""The suite for authors of a channel, and the stage that it plays on."""

from assent.testing.channel_stage import Fault, Heard, Play, Shown, Stage, playing, until
from assent.testing.channel_suite import ChannelSuite, ChatSuite, PeopleSuite

__all__ = [
    "ChannelSuite",
    "ChatSuite",
    "Fault",
    "Heard",
    "PeopleSuite",
    "Play",
    "Shown",
    "Stage",
    "playing",
    "until",
]
