"""Discord on a loopback port: REST, gateway, signed interactions and a page to press the buttons.

It needs no account and no network. Discord's own limits and refusals hold here too.
"""

from assent.demo.discord_sandbox.gateway import Close, Gateway
from assent.demo.discord_sandbox.interactions import Interaction, InteractionStatus, Modal
from assent.demo.discord_sandbox.members import Member, NotPossible
from assent.demo.discord_sandbox.permissions import Permission
from assent.demo.discord_sandbox.places import Channel, Message, User
from assent.demo.discord_sandbox.sandbox import DiscordSandbox

__all__ = [
    "Channel",
    "Close",
    "DiscordSandbox",
    "Gateway",
    "Interaction",
    "InteractionStatus",
    "Member",
    "Message",
    "Modal",
    "NotPossible",
    "Permission",
    "User",
]
