"""The bot's application: its token, its commands, and where its interactions go."""

import re
import secrets
from dataclasses import dataclass, field

from assent.demo.discord_sandbox.form_body import FormBody, Part
from assent.demo.discord_sandbox.places import User
from assent.demo.discord_sandbox.refusals import Payload

COMMANDS, COMMAND_OPTIONS, COMMAND_CHOICES = 100, 25, 25
COMMAND_DESCRIPTION_CHARS, CHOICE_CHARS = 100, 100
_CHAT_INPUT = 1
_SUBCOMMANDS = frozenset({1, 2})
_OPTION_TYPES = range(1, 12)
_NAME = re.compile(r"[-_'\w]{1,32}")
# GATEWAY_MESSAGE_CONTENT_LIMITED, GATEWAY_GUILD_MEMBERS_LIMITED
_READS_MESSAGES, _SEES_MEMBERS = 1 << 19, 1 << 15


@dataclass(slots=True, kw_only=True)
class Application:
    """The settings that a developer makes in Discord's portal."""

    bot: User
    # Nobody can guess it: whoever has it can post as the bot.
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    reads_messages: bool = True
    is_revoked: bool = False
    endpoint_url: str | None = None
    verify_key: str = ""
    commands: list[Payload] = field(default_factory=list[Payload])

    @property
    def flags(self) -> int:
        """The intents that the portal allows."""
        return _SEES_MEMBERS | (_READS_MESSAGES if self.reads_messages else 0)

    def knows(self, token: object) -> bool:
        """Tell whether a token is the bot's, and still valid."""
        if self.is_revoked or not isinstance(token, str):
            return False
        given = token.removeprefix("Bot ").encode()
        return secrets.compare_digest(given, self.token.encode())

    def json(self, owner: User) -> Payload:
        """Return the application object."""
        return {
            "id": str(self.bot.id),
            "name": self.bot.display_name,
            "icon": None,
            "description": "",
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": self.verify_key,
            "owner": owner.json(),
            "flags": self.flags,
            "interactions_endpoint_url": self.endpoint_url,
            "approximate_guild_count": 1,
            "tags": [],
            "redirect_uris": [],
        }


def check_commands(commands: list[Payload]) -> None:
    """Check application commands against Discord's limits; raises one refusal."""
    body = FormBody()
    root = body.root()
    for index, command in enumerate(root.items(commands, most=COMMANDS)):
        here = root.at(index)
        if command.get("type", _CHAT_INPUT) == _CHAT_INPUT:
            _check_name(here, command)
            _check_options(here.at("options"), command.get("options"))
    body.check()


def _check_name(part: Part, thing: Payload) -> None:
    name = part.at("name").text(thing.get("name"), least=1, most=32)
    if name and (_NAME.fullmatch(name) is None or name != name.lower()):
        part.at("name").wrong("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    words = thing.get("description")
    part.at("description").text(words, least=1, most=COMMAND_DESCRIPTION_CHARS)


def _check_options(part: Part, value: object) -> None:
    for index, option in enumerate(part.items(value, most=COMMAND_OPTIONS)):
        here = part.at(index)
        here.at("type").one_of(option.get("type"), _OPTION_TYPES)
        _check_name(here, option)
        if option.get("type") in _SUBCOMMANDS:
            _check_options(here.at("options"), option.get("options"))
        choices = here.at("choices").items(option.get("choices"), most=COMMAND_CHOICES)
        for number, choice in enumerate(choices):
            at = here.at("choices", number, "name")
            at.text(choice.get("name"), least=1, most=CHOICE_CHARS)
