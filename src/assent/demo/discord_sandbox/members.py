"""Members of the guild as a test or the page drives them: say, press, choose, submit, look."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from assent.demo.discord_sandbox.application import Application
from assent.demo.discord_sandbox.components import (
    LINK_STYLE,
    SELECTS,
    ComponentType,
    walk,
)
from assent.demo.discord_sandbox.form_body import size
from assent.demo.discord_sandbox.interactions import (
    Failure,
    Interaction,
    Interactions,
    InteractionStatus,
    InteractionType,
    Modal,
)
from assent.demo.discord_sandbox.message_body import message_body
from assent.demo.discord_sandbox.places import Channel, Message, MessageType, User
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.world import Draft, World

Values = Mapping[str, str | bool | Sequence[str]]
_SUBCOMMANDS = frozenset({1, 2})


class NotPossible(Exception):
    """A person cannot do this: their client would not let them."""


class Member:
    """One person at their client."""

    def __init__(
        self, user: User, world: World, application: Application, interactions: Interactions
    ) -> None:
        self.user = user
        self._world, self._application, self._interactions = world, application, interactions

    @property
    def id(self) -> int:
        """The id of the account."""
        return self.user.id

    @property
    def modal(self) -> Modal | None:
        """The modal that this person has open."""
        return self._interactions.modals.get(self.user.id)

    @property
    def failures(self) -> list[Failure]:
        """Notes that a press got no answer, oldest first."""
        return [each for each in self._interactions.failures if each.user_id == self.user.id]

    # Looking

    def messages(self, channel: Channel) -> list[Message]:
        """Return the messages that this person sees in a channel, oldest first."""
        if channel.id not in self._world.channels or not channel.is_visible_to(self.user):
            return []
        seen = (None, self.user.id)
        return [each for each in channel.messages.values() if each.seen_by in seen]

    def ephemerals(self, channel: Channel) -> list[Message]:
        """Return the messages that nobody else sees."""
        return [each for each in self.messages(channel) if each.is_ephemeral]

    async def sees(
        self,
        channel: Channel,
        wanted: Callable[[Message], bool] = lambda _: True,
        *,
        within: float = 10,
    ) -> Message:
        """Wait until a message is there, and return the newest such message."""

        def newest() -> Message | None:
            found = (each for each in reversed(self.messages(channel)) if wanted(each))
            return next(found, None)

        return await self._world.until(newest, within=within)

    async def sees_modal(self, *, within: float = 10) -> Modal:
        """Wait until a modal opens."""
        return await self._world.until(lambda: self.modal, within=within)

    async def settled(self, interaction: Interaction, *, within: float = 10) -> Interaction:
        """Wait until an interaction was answered, or has failed."""

        def over() -> Interaction | None:
            return None if interaction.status is InteractionStatus.WAITING else interaction

        return await self._world.until(over, within=within)

    # Acting

    def say(self, channel: Channel, text: str, *, reply_to: Message | None = None) -> Message:
        """Post a message."""
        self._check_sees(channel)
        payload: Payload = {"content": text}
        if reply_to is not None:
            payload["message_reference"] = {"message_id": str(reply_to.id)}
        body = message_body(payload)
        if body.is_empty:
            raise NotPossible("There is nothing to say")
        kind = MessageType.DEFAULT if reply_to is None else MessageType.REPLY
        return self._world.post(channel, Draft(author=self.user, body=body, type=kind))

    def press(self, message: Message, button: str) -> Interaction:
        """Press a button, named by its label or custom id."""
        found = self._control(message, button, {ComponentType.BUTTON})
        if found.get("style") == LINK_STYLE:
            raise NotPossible(f"{button!r} is a link")
        data = {"custom_id": found["custom_id"], "component_type": found["type"], "id": found["id"]}
        return self._act_on(message, data)

    def choose(self, message: Message, select: str, *values: str) -> Interaction:
        """Choose in a select, named by its custom id or placeholder; values or labels."""
        found = self._control(message, select, SELECTS)
        chosen = _chosen(found, values)
        data: Payload = {
            "custom_id": found["custom_id"],
            "component_type": found["type"],
            "id": found["id"],
            "values": chosen,
        }
        if found["type"] == ComponentType.USER_SELECT:
            data["resolved"] = self._resolved(chosen)
        return self._act_on(message, data)

    def submit(self, values: Values) -> Interaction:
        """Submit the open modal; fields are named by custom id or label, others stay as shown."""
        modal = self.modal
        if modal is None:
            raise NotPossible("No modal is open")
        left = dict(values)
        components = [_filled(each, left) for each in modal.data["components"]]
        if left:
            raise NotPossible(f"The modal has no field {next(iter(left))!r}")
        modal.problem = ""
        data = {"custom_id": modal.custom_id, "components": components}
        opener = modal.opener
        return self._interactions.open(
            InteractionType.MODAL_SUBMIT, self.user, opener.channel, data, opener.message
        )

    def dismiss(self) -> None:
        """Close the modal without submitting it."""
        self._interactions.modals.pop(self.user.id, None)
        self._world.touch()

    def dismiss_message(self, message: Message) -> None:
        """Dismiss an ephemeral message."""
        if message.seen_by != self.user.id:
            raise NotPossible("Only ephemeral messages can be dismissed")
        self._world.remove_message(message)

    def command(self, channel: Channel, name: str, **options: str | bool | float) -> Interaction:
        """Run an application command, such as `"link"` or `"inbox show"`, with its options."""
        self._check_sees(channel)
        first, *others = name.split()
        known = (each for each in self._application.commands if each["name"] == first)
        if (command := next(known, None)) is None:
            raise NotPossible(f"There is no command /{first}")
        data: Payload = {
            "id": command["id"],
            "name": first,
            "type": command["type"],
            "options": _options(command, others, options),
        }
        return self._interactions.open(InteractionType.COMMAND, self.user, channel, data)

    def _act_on(self, message: Message, data: Payload) -> Interaction:
        channel = self._world.channel(message.channel_id)
        kind = InteractionType.COMPONENT
        return self._interactions.open(kind, self.user, channel, data, message)

    def _control(self, message: Message, name: str, types: frozenset[int] | set[int]) -> Payload:
        """Return a control that this person can use now."""
        channel = self._world.channel(message.channel_id)
        if message not in self.messages(channel):
            raise NotPossible("The message is not there")
        for each in walk(message.components):
            if each["type"] in types and name in _names(each):
                if each.get("disabled"):
                    raise NotPossible(f"{name!r} is disabled")
                return each
        raise NotPossible(f"The message has no {name!r}")

    def _resolved(self, ids: Sequence[str]) -> Payload:
        users = [self._world.users[int(each)] for each in ids]
        return {
            "users": {str(user.id): user.json() for user in users},
            "members": {str(user.id): user.member_json() for user in users},
        }

    def _check_sees(self, channel: Channel) -> None:
        if channel.id not in self._world.channels or not channel.is_visible_to(self.user):
            raise NotPossible(f"{self.user.display_name} does not see #{channel.name}")


def _names(control: Payload) -> Iterator[object]:
    yield from (control.get(key) for key in ("custom_id", "label", "placeholder"))


def _chosen(select: Payload, values: Sequence[str]) -> list[str]:
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    if not least <= len(values) <= most:
        raise NotPossible(f"Choose {least} to {most} of them")
    options: list[Payload] | None = select.get("options")
    if options is None:
        return list(values)
    return [_option(options, value) for value in values]


def _option(options: Sequence[Payload], name: str) -> str:
    for option in options:
        if name in (option["value"], option["label"]):
            return option["value"]
    raise NotPossible(f"There is no option {name!r}")


def _filled(component: Payload, values: dict[str, Any]) -> Payload:
    """Return a component of a modal with what the person entered, taken out of `values`."""
    id, kind = component["id"], component["type"]
    if kind == ComponentType.LABEL:
        inner = _entered(component["component"], component["label"], values)
        return {"type": kind, "id": id, "component": inner}
    if kind == ComponentType.ROW:
        inside = component["components"]
        entered = [_entered(each, each.get("label", ""), values) for each in inside]
        return {"type": kind, "id": id, "components": entered}
    return {"type": kind, "id": id}


def _entered(control: Payload, label: str, values: dict[str, Any]) -> Payload:
    name = control["custom_id"] if control["custom_id"] in values else label
    entered = values.pop(name, None)
    filled: Payload = {key: control[key] for key in ("type", "id", "custom_id")}
    match control["type"]:
        case ComponentType.TEXT_INPUT:
            text = control.get("value", "") if entered is None else entered
            _check_text(control, label, text)
            return {**filled, "value": text}
        case ComponentType.CHECKBOX:
            return {**filled, "value": bool(control.get("default")) if entered is None else entered}
        case ComponentType.RADIO_GROUP:
            one = _picked(control, label, entered)
            return {**filled, "value": one[0] if one else None}
        case _:
            return {**filled, "values": _picked(control, label, entered)}


def _check_text(control: Payload, label: str, text: str) -> None:
    """Refuse what a client would not let people submit."""
    if control.get("required", True) and not text:
        raise NotPossible(f"{label!r} is required")
    least, most = control.get("min_length") or 0, control.get("max_length") or 4000
    if text and not least <= size(text) <= most:
        raise NotPossible(f"{label!r} must have {least} to {most} characters")


def _picked(control: Payload, label: str, entered: Any) -> list[str]:
    options: list[Payload] = control.get("options") or []
    if entered is None:
        picked = [option["value"] for option in options if option.get("default")]
    else:
        names = [entered] if isinstance(entered, str) else list(entered)
        picked = [_option(options, name) for name in names] if options else names
    if control.get("required", True) and not picked:
        raise NotPossible(f"{label!r} is required")
    return picked


def _options(
    command: Payload, subcommands: Sequence[str], values: Mapping[str, str | bool | float]
) -> list[Payload]:
    declared: list[Payload] = command.get("options") or []
    if subcommands:
        first, *others = subcommands
        for option in declared:
            if option["name"] == first and option["type"] in _SUBCOMMANDS:
                inside = _options(option, others, values)
                return [{"name": first, "type": option["type"], "options": inside}]
        raise NotPossible(f"/{command['name']} has no subcommand {first!r}")
    types = {option["name"]: option["type"] for option in declared}
    missing = [o["name"] for o in declared if o.get("required") and o["name"] not in values]
    unknown = [name for name in values if name not in types]
    if missing or unknown:
        raise NotPossible(f"/{command['name']}: check the options {missing + unknown}")
    return [{"name": n, "type": types[n], "value": value} for n, value in values.items()]
