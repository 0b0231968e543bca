"""Channels: ways to reach people where they are. This module is what authors of a channel need."""

from assent.channels.answers import Answers, ThreadWriter
from assent.channels.desk import Desk
from assent.channels.reference import Reference
from assent.channels.replies import Ask, Button, Fill, FormLimits, Reply, Tell
from assent.domain.chats import ChatAccount, ChatThread
from assent.domain.deliveries import ChannelTerms, HttpReply, Post, PostItem, Room
from assent.engine.assent import Assent
from assent.engine.deliveries.channel import Channel, HttpReceiver, Inviter
from assent.errors import ChannelError, LinkRefused, MessageGone

__all__ = [
    "Answers",
    "Ask",
    "Assent",
    "Button",
    "Channel",
    "ChannelError",
    "ChannelTerms",
    "ChatAccount",
    "ChatThread",
    "Desk",
    "Fill",
    "FormLimits",
    "HttpReceiver",
    "HttpReply",
    "Inviter",
    "LinkRefused",
    "MessageGone",
    "Post",
    "PostItem",
    "Reference",
    "Reply",
    "Room",
    "Tell",
    "ThreadWriter",
]
