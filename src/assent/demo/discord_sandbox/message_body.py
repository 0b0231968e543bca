"""Bodies that create or edit messages: Discord's limits, and the fields that remain."""

import re
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any, cast

from assent.demo.discord_sandbox.components import check_layout, check_rows, numbered
from assent.demo.discord_sandbox.form_body import FormBody, Part, size
from assent.demo.discord_sandbox.refusals import Payload

CONTENT_CHARS, NONCE_CHARS = 2000, 25
EMBEDS, EMBED_CHARS, EMBED_FIELDS = 10, 6000, 25
TITLE_CHARS, DESCRIPTION_CHARS = 256, 4096
FIELD_NAME_CHARS, FIELD_VALUE_CHARS = 256, 1024
FOOTER_CHARS, AUTHOR_CHARS = 2048, 256
_COLOURS = 0xFFFFFF
_USER_MENTION = re.compile(r"<@!?(\d+)>")
_ROLE_MENTION = re.compile(r"<@&(\d+)>")
_EVERYONE = re.compile(r"@(everyone|here)\b")


class MessageFlag(IntFlag):
    """Discord's bits."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_COMPONENTS_V2 = 1 << 15


NO_FLAGS = MessageFlag(0)
_GIVEN = (
    MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.EPHEMERAL
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.IS_COMPONENTS_V2
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedMentions:
    """The mentions in a text that notify people."""

    everyone: bool = True
    all_users: bool = True
    all_roles: bool = True
    users: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()

    def users_in(self, text: str) -> list[int]:
        """Return the users that a text notifies."""
        found = dict.fromkeys(map(int, _USER_MENTION.findall(text)))
        return [each for each in found if self.all_users or each in self.users]

    def roles_in(self, text: str) -> list[int]:
        """Return the roles that a text notifies."""
        found = dict.fromkeys(map(int, _ROLE_MENTION.findall(text)))
        return [each for each in found if self.all_roles or each in self.roles]

    def everyone_in(self, text: str) -> bool:
        """Return True if a text notifies everybody."""
        return self.everyone and _EVERYONE.search(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageBody:
    """The checked fields of a message; None where the body says nothing."""

    content: str | None = None
    embeds: list[Payload] | None = None
    components: list[Payload] | None = None
    flags: MessageFlag = NO_FLAGS
    nonce: str | None = None
    is_nonce_enforced: bool = False
    reply_to: int | None = None
    mentions: AllowedMentions = field(default_factory=AllowedMentions)

    @property
    def is_empty(self) -> bool:
        """True if there would be nothing to see."""
        return not (self.content or self.embeds or self.components)


def message_body(payload: Payload, *, old_flags: MessageFlag = NO_FLAGS) -> MessageBody:
    """Check a body against all limits; raises one refusal with every error."""
    body = FormBody()
    root = body.root()
    flags = (
        MessageFlag(
            root.at("flags").number(payload.get("flags"), least=0, most=(1 << 31) - 1, default=0)
        )
        & _GIVEN
    )
    is_layout = bool((flags | old_flags) & MessageFlag.IS_COMPONENTS_V2)
    content, embeds = _content(root, payload), _embeds(root.at("embeds"), payload)
    if is_layout:
        _check_nothing_else(root, content, embeds)
    check = check_layout if is_layout else check_rows
    components = (
        numbered(check(root.at("components"), payload["components"]))
        if "components" in payload
        else None
    )
    result = MessageBody(
        content=content,
        embeds=embeds,
        components=components,
        flags=flags,
        nonce=_nonce(root, payload),
        is_nonce_enforced=payload.get("enforce_nonce") is True,
        reply_to=_reply(root.at("message_reference"), payload),
        mentions=_mentions(root.at("allowed_mentions"), payload),
    )
    body.check()
    return result


def _content(root: Part, payload: Payload) -> str | None:
    if "content" not in payload:
        return None
    return root.at("content").text(payload["content"], most=CONTENT_CHARS)


def _check_nothing_else(root: Part, content: str | None, embeds: list[Payload] | None) -> None:
    for name, value in (("content", content), ("embeds", embeds)):
        if value:
            words = f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            root.at(name).wrong("MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", words)


def _nonce(root: Part, payload: Payload) -> str | None:
    value = payload.get("nonce")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return None if value is None else root.at("nonce").text(value, most=NONCE_CHARS)


def _reply(part: Part, payload: Payload) -> int | None:
    if payload.get("message_reference") is None:
        return None
    return _id(part.at("message_id"), part.model(payload["message_reference"]).get("message_id"))


def _id(part: Part, value: object) -> int:
    if isinstance(value, str | int) and str(value).isdecimal():
        return int(value)
    part.wrong("NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
    return 0


def _ids(part: Part, value: object) -> frozenset[int]:
    return frozenset(_id(part, each) for each in cast("list[object]", value or []))


def _mentions(part: Part, payload: Payload) -> AllowedMentions:
    if payload.get("allowed_mentions") is None:
        return AllowedMentions()
    given = part.model(payload["allowed_mentions"])
    parse: list[Any] = given.get("parse") or []
    for name in ("users", "roles"):
        if name in parse and given.get(name):
            words = f'parse:["{name}"] and {name}: [ids...] are mutually exclusive.'
            part.wrong("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", words)
    return AllowedMentions(
        everyone="everyone" in parse,
        all_users="users" in parse,
        all_roles="roles" in parse,
        users=_ids(part.at("users"), given.get("users")),
        roles=_ids(part.at("roles"), given.get("roles")),
    )


def _embeds(part: Part, payload: Payload) -> list[Payload] | None:
    if "embeds" not in payload:
        return None
    embeds = part.items(payload["embeds"], most=EMBEDS)
    checked = [_embed(part.at(index), embed) for index, embed in enumerate(embeds)]
    if sum(map(_embed_size, checked)) > EMBED_CHARS:
        words = f"Embed size exceeds maximum size of {EMBED_CHARS}"
        part.wrong("MAX_EMBED_SIZE_EXCEEDED", words)
    return checked


def _embed(part: Part, embed: Payload) -> Payload:
    kept: Payload = {**embed, "type": "rich"}
    for name, most in (("title", TITLE_CHARS), ("description", DESCRIPTION_CHARS)):
        if name in embed:
            kept[name] = part.at(name).text(embed[name], most=most)
    for name, key, most in (("footer", "text", FOOTER_CHARS), ("author", "name", AUTHOR_CHARS)):
        if embed.get(name):
            inner = part.at(name).model(embed[name])
            kept[name] = {**inner, key: part.at(name, key).text(inner.get(key), most=most)}
    part.at("color").number(embed.get("color"), least=0, most=_COLOURS, default=0)
    if "fields" in embed:
        fields = part.at("fields").items(embed["fields"], most=EMBED_FIELDS)
        kept["fields"] = [_field(part.at("fields", i), each) for i, each in enumerate(fields)]
    return kept


def _field(part: Part, given: Payload) -> Payload:
    return {
        **given,
        "name": part.at("name").text(given.get("name"), least=1, most=FIELD_NAME_CHARS),
        "value": part.at("value").text(given.get("value"), least=1, most=FIELD_VALUE_CHARS),
        "inline": given.get("inline") is True,
    }


def _embed_size(embed: Payload) -> int:
    nothing: Payload = {}
    footer: Payload = embed.get("footer") or nothing
    author: Payload = embed.get("author") or nothing
    fields = cast("list[Payload]", embed.get("fields") or [])
    texts = [embed.get("title"), embed.get("description"), footer.get("text"), author.get("name")]
    texts += [each[key] for each in fields for key in ("name", "value")]
    return sum(size(text or "") for text in texts)
