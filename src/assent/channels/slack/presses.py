"""Presses and forms: from Slack's payloads to the desk, and its replies back to one person."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from assent.channels.desk import Desk
from assent.channels.reference import Reference
from assent.channels.replies import Ask, Fill, Reply, Tell
from assent.channels.slack.api import SlackApi, SlackRefused
from assent.channels.slack.messages import buttons_block, content
from assent.channels.slack.modals import (
    ModalOrigin,
    errors_of,
    form_view,
    loading_view,
    reference_of,
    values_of,
    words_blocks,
    words_view,
)
from assent.channels.slack.tasks import Tasks
from assent.domain.verdicts import Verb
from assent.errors import AssentError, ChannelError

log = logging.getLogger(__name__)
# Slack gives a modal three seconds to open, and an acknowledgement three to arrive.
OPEN_SECONDS: Final = 1.2
ANSWER_SECONDS: Final = 2.0
_SPENT: Final = frozenset({"expired_trigger_id", "exchanged_trigger_id"})
_STRAIGHT: Final = frozenset({Verb.APPROVE, Verb.RUN_AGAIN, Verb.REVIEW})
_FOREIGN: Final = (
    "You belong to another workspace than the one that this app was installed in, so you can "
    "decide nothing here."
)
_FAILED: Final = "Something went wrong here. The card shows what is decided and what is not."
_LATE: Final = "Slack did not wait for this: press the button again."
_UNDRAWABLE: Final = "This form does not fit into Slack. Open the full review instead."


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """One press of one button: who, what, and where the reply goes."""

    user: str
    reference: Reference
    trigger: str
    channel: str = ""
    thread: str = ""
    # The modal in which it was pressed, or which was opened for it.
    view: str = ""
    # Set if it was pressed in a message for this person alone, which the reply replaces.
    response_url: str = ""

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Press | None":
        """Read an interaction; None if the button is none of ours."""
        action, container = body["actions"][0], body["container"]
        reference = Reference.read(str(action.get("value", "")))
        if reference is None:
            return None
        view: dict[str, Any] = body.get("view") or {}
        origin = ModalOrigin.read(str(view.get("private_metadata", "")))
        is_alone = bool(container.get("is_ephemeral"))
        return cls(
            user=str(body["user"]["id"]),
            reference=reference,
            trigger=str(body["trigger_id"]),
            channel=str(container.get("channel_id") or origin.channel),
            thread=str(container.get("thread_ts") or origin.thread),
            view=str(view.get("id", "")),
            response_url=str(body.get("response_url", "")) if is_alone else "",
        )

    @property
    def origin(self) -> ModalOrigin:
        """The part of it that a modal remembers."""
        return ModalOrigin(channel=self.channel, thread=self.thread, reference=str(self.reference))

    @property
    def opens(self) -> bool:
        """True if it leads to a modal, for all that can be known before it is looked up."""
        return self.reference.verb not in _STRAIGHT


class Presses:
    """Takes what people press and submit."""

    def __init__(self, api: SlackApi, desk: Desk, tasks: Tasks, link: Callable[[str], str]) -> None:
        self._api, self._desk, self._tasks, self._link = api, desk, tasks, link

    async def press(self, body: Mapping[str, Any]) -> None:
        """Handle a press; it was acknowledged before."""
        try:
            press = Press.read(body)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            log.warning("slack: a press cannot be understood: %s", type(error).__name__)
            return
        if press is None:
            return
        try:
            await self._taken(press, body)
        except ChannelError as error:
            log.warning("slack: a reply to a press was not shown: %s", error)
        except Exception as error:
            # What the database says of an outage is no news of ours.
            level = logging.WARNING if isinstance(error, AssentError) else logging.ERROR
            log.log(level, "slack: a press failed", exc_info=level == logging.ERROR)
            with suppress(ChannelError):
                await self._tell(press, Tell(words=_FAILED))

    async def _taken(self, press: Press, body: Mapping[str, Any]) -> None:
        if await self._is_foreign(body):
            await self._tell(press, Tell(words=_FOREIGN, is_refusal=True))
        else:
            await self._pressed(press)

    async def _pressed(self, press: Press) -> None:
        """Reply in time: a modal that takes long to look up opens empty, and is filled later."""
        work = self._tasks.spawn(
            self._desk.press(press.user, press.reference, interaction=press.trigger)
        )
        if press.opens and not press.view:
            done, _ = await asyncio.wait({work}, timeout=OPEN_SECONDS)
            if not done:
                press = await self._open_empty(press)
        await self._reply(press, await work)

    async def _open_empty(self, press: Press) -> Press:
        given = {"trigger_id": press.trigger, "view": loading_view()}
        try:
            opened = await self._api.call("views.open", given)
        except SlackRefused as error:
            if error.error not in _SPENT:
                raise
            # The person is told so when the reply is there.
            return press
        return replace(press, view=str(opened["view"]["id"]))

    async def _reply(self, press: Press, reply: Reply) -> None:
        is_long = isinstance(reply, Tell) and reply.is_foreign
        if press.view or isinstance(reply, Fill) or is_long:
            await self._show(press, self._view_of(reply, press.origin))
        else:
            await self._tell(press, reply)

    async def _show(self, press: Press, view: Mapping[str, Any]) -> None:
        """Show a modal: in place of the one that is open, or a new one."""
        if press.view:
            await self._api.call("views.update", {"view_id": press.view, "view": view})
            return
        try:
            await self._api.call("views.open", {"trigger_id": press.trigger, "view": view})
        except SlackRefused as error:
            if error.error not in _SPENT:
                raise
            await self._tell(press, Tell(words=_LATE))

    async def _tell(self, press: Press, reply: Tell | Ask) -> None:
        """Say something to the person alone."""
        if press.response_url:
            shown = {**message_of_reply(reply), "replace_original": True}
            if await self._api.respond(press.response_url, shown):
                return
        await self.whisper(press.channel, press.user, reply, thread=press.thread)

    async def whisper(self, channel: str, user: str, reply: Tell | Ask, *, thread: str) -> None:
        """Show a message to one person in a channel."""
        if channel:
            await self._api.whisper(channel, user, message_of_reply(reply), thread=thread)

    # Forms

    async def submit(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a submitted form, in time; what takes longer is shown later."""
        view, reference = body["view"], reference_of(body["view"])
        if reference is None:
            return {}
        work = self._tasks.spawn(self._next(body, reference))
        done, _ = await asyncio.wait({work}, timeout=ANSWER_SECONDS)
        if done:
            return self._answer(body, work.result())
        self._tasks.spawn(self._show_later(view, work))
        return {"response_action": "update", "view": loading_view()}

    async def _next(self, body: Mapping[str, Any], reference: Reference) -> Reply:
        """Return what follows a form: its next page at once, if there is one."""
        user, interaction = str(body["user"]["id"]), str(body["trigger_id"])
        try:
            if await self._is_foreign(body):
                return Tell(words=_FOREIGN, is_refusal=True)
            values = values_of(body["view"])
            reply = await self._desk.submit(user, reference, values, interaction=interaction)
            if isinstance(reply, Ask) and reply.buttons and not reply.errors:
                following = reply.buttons[0].reference
                if following.page > reference.page:
                    return await self._desk.press(user, following, interaction=interaction)
        except Exception:
            log.exception("slack: a form failed")
            return Tell(words=_FAILED, is_refusal=True)
        return reply

    def _answer(self, body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
        """Return what Slack does with a modal that was submitted: without a word it closes."""
        view, origin = body["view"], _origin(body["view"])
        if isinstance(reply, Tell) and not reply.is_refusal:
            self._tasks.spawn(self._whisper_safely(origin, str(body["user"]["id"]), reply))
            return {}
        if isinstance(reply, Ask) and (errors := errors_of(view, reply.errors)):
            return {"response_action": "errors", "errors": errors}
        return {"response_action": "update", "view": self._view_of(reply, origin)}

    async def _show_later(self, view: Mapping[str, Any], work: "asyncio.Task[Reply]") -> None:
        shown = self._view_of(await work, _origin(view))
        try:
            await self._api.call("views.update", {"view_id": view["id"], "view": shown})
        except ChannelError as error:
            log.warning("slack: a reply to a form was not shown: %s", error)

    async def _whisper_safely(self, origin: ModalOrigin, user: str, reply: Tell) -> None:
        try:
            await self.whisper(origin.channel, user, reply, thread=origin.thread)
        except ChannelError as error:
            log.warning("slack: a reply to a form was not shown: %s", error)

    def _view_of(self, reply: Reply, origin: ModalOrigin) -> dict[str, Any]:
        """Return any reply as a modal."""
        if isinstance(reply, Fill):
            view = form_view(reply, replace(origin, reference=str(reply.reference)))
            if view is not None:
                return view
            reply = Tell(words=_UNDRAWABLE, url=self._link(reply.reference.request_id))
        return words_view(reply, origin)

    async def _is_foreign(self, body: Mapping[str, Any]) -> bool:
        workspace: dict[str, Any] = body.get("team") or {}
        team = str(body["user"].get("team_id") or workspace.get("id", ""))
        return team != (await self._api.identity()).team


def message_of_reply(reply: Tell | Ask) -> dict[str, Any]:
    """Return a reply as the content of a message."""
    buttons = reply.buttons if isinstance(reply, Ask) else ()
    url = reply.url if isinstance(reply, Tell) else ""
    blocks = [*words_blocks(reply), *buttons_block(buttons, url)]
    return content("Assent answers you", blocks)


def _origin(view: Mapping[str, Any]) -> ModalOrigin:
    return ModalOrigin.read(str(view.get("private_metadata", "")))
