"""The channel: one workspace of Slack, over Socket Mode or HTTP."""

import asyncio
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from assent.channels.answers import Answers
from assent.channels.desk import Desk
from assent.channels.slack.addresses import Place, PostedMessages, is_id, room_address
from assent.channels.slack.api import BASE_URL, LOST, SlackApi, SlackRefused
from assent.channels.slack.commands import Commands
from assent.channels.slack.finding import find_posted
from assent.channels.slack.messages import brief_message, message_of, metadata_of
from assent.channels.slack.modals import LIMITS
from assent.channels.slack.presses import Presses
from assent.channels.slack.reception import Reception, Socket
from assent.channels.slack.talk import Strangers, Talk
from assent.channels.slack.tasks import Tasks
from assent.channels.slack.writer import Writer
from assent.domain import parameters
from assent.domain.deliveries import ChannelTerms, HttpReply, Post, Room
from assent.domain.parameters import Check, optional, taken
from assent.engine.assent import Assent
from assent.errors import AssentError, ChannelError, InvalidParameter, MessageGone
from assent.presentation.surfaces import SURFACES

log = logging.getLogger(__name__)
DECIDE_WITHIN: Final = timedelta(minutes=5)
# Slack waits three seconds for an acknowledgement.
ANSWER_SECONDS: Final = 2.0
END_SECONDS: Final = 5.0
PER_SECOND: Final = 4.0
_TOO_LARGE: Final = frozenset({"msg_blocks_too_long", "invalid_blocks", "msg_too_long"})


class Slack:
    """Cards, modals and conversations in one workspace of Slack.

    With an `app_token` (`xapp-…`) it holds a socket; with a `signing_secret` it takes requests at
    `POST /channels/slack`. What is not given is read from SLACK_BOT_TOKEN, SLACK_APP_TOKEN and
    SLACK_SIGNING_SECRET. `room` gets what concerns more people than its owner.
    """

    def __init__(
        self,
        *,
        token: str | None = None,
        app_token: str | None = None,
        signing_secret: str | None = None,
        room: str | Room | Iterable[str | Room] = (),
        agent: str | None = None,
        strangers: Strangers = "refuse",
        decide_within: timedelta | float | None = DECIDE_WITHIN,
        base_url: str = BASE_URL,
    ) -> None:
        if app_token is None and signing_secret is None:
            app_token = os.environ.get("SLACK_APP_TOKEN") or None
            signing_secret = os.environ.get("SLACK_SIGNING_SECRET") or None
        given = taken(
            "Slack",
            {
                "token": os.environ.get("SLACK_BOT_TOKEN") if token is None else token,
                "app_token": app_token,
                "signing_secret": signing_secret,
                "room": room,
                "agent": agent,
                "strangers": strangers,
                "decide_within": decide_within,
                "base_url": base_url,
            },
            _GIVEN,
        )
        self._app_token: str | None = given["app_token"]
        self._secret: str | None = given["signing_secret"]
        if self._app_token is None and self._secret is None:
            allowed = "a token xapp-…, unless a signing_secret is given"
            raise InvalidParameter("Slack", "app_token", allowed, "nothing")
        self._api = SlackApi(given["token"], given["base_url"])
        self._rooms: tuple[Room, ...] = given["room"]
        self._agent: str | None = given["agent"]
        self._strangers: Strangers = given["strangers"]
        self._decide_within: timedelta | None = given["decide_within"]
        self._tasks = Tasks("assent-slack")
        self._writer = Writer(self._api)
        self._inbox = ""
        self._parts: _Parts | None = None
        self._answers: Answers | None = None
        self._socket: Socket | None = None

    @property
    def name(self) -> str:
        """`slack`."""
        return "slack"

    @property
    def terms(self) -> ChannelTerms:
        """Rooms, people and groups; the limits of each channel are kept besides."""
        return ChannelTerms(rooms=self._rooms, per_second=PER_SECOND)

    async def open(self, assent: Assent) -> None:
        """Get ready; Slack is not asked for anything yet, so it may be down."""
        if self._agent is not None:
            assent.catalogue.agent(self._agent)  # raises if there is no such one
        self._inbox = assent.channels.page("/")
        await self._api.open()
        self._answers = Answers(assent, self.name, self._writer)
        self._parts = _Parts(
            assent,
            self._api,
            self._tasks,
            self._answers,
            agent=self._agent or next(iter(assent.catalogue.names()), ""),
            strangers=self._strangers,
            decide_within=self._decide_within,
            name=self.name,
        )

    async def connect(self) -> None:
        """Prove the token, open the socket if there is one, and begin to show answers."""
        await self._api.identity(again=True)
        self._writer.begin()
        parts, answers = self._opened
        if self._app_token:
            self._socket = Socket(self._api, self._app_token, parts.reception)
            await self._socket.connect()
        answers.start()

    async def disconnect(self) -> None:
        """Close the socket, and leave answers to the next process."""
        if self._answers is not None:
            await self._answers.stop()
        if self._socket is not None:
            await self._socket.disconnect()

    async def close(self) -> None:
        """Let what people just did finish, and close all connections."""
        await self._tasks.end(END_SECONDS)
        await self._api.close()

    async def receive(self, headers: Mapping[str, str], body: bytes) -> HttpReply:
        """Take a request of Slack; without a signing secret none can be believed."""
        if not self._secret:
            return HttpReply(status=404)
        parts, _ = self._opened
        return await parts.reception.receive(self._secret, headers, body)

    async def announce(self, post: Post) -> str:
        """Post a message, unless an earlier attempt did."""
        place = Place.of(post.address)
        channel = place.channel or await self._api.direct(place.user)
        shown = await asyncio.to_thread(message_of, post, inbox=self._inbox)
        if post.is_repeated:
            found = await find_posted(self._api, channel, place.thread, post.key)
            if found is not None:
                await self._api.change(channel, found, shown)
                return str(PostedMessages(channel=channel, stamps=(found,)))
            if not post.is_open:
                raise MessageGone
        more: dict[str, Any] = {"metadata": metadata_of(post.key)}
        if place.thread:
            more["thread_ts"] = place.thread
        try:
            ts = await self._api.post(channel, {**shown, **more})
        except SlackRefused as error:
            if error.error not in _TOO_LARGE:
                raise
            log.warning("slack: a card was refused (%s), a link is posted instead", error.error)
            ts = await self._api.post(channel, {**brief_message(post, inbox=self._inbox), **more})
        return str(PostedMessages(channel=channel, stamps=(ts,)))

    async def update(self, post: Post, message: str) -> None:
        """Change a message; one that is gone or no longer ours is posted anew if need be."""
        posted = PostedMessages.read(message)
        if posted is None:
            raise MessageGone
        if self._answers is not None and Place.of(post.address).channel:
            await self._answers.follow(post.address)
        shown = await asyncio.to_thread(message_of, post, inbox=self._inbox)
        try:
            await self._api.change(posted.channel, posted.stamps[0], shown)
        except SlackRefused as error:
            if error.error in LOST:
                raise MessageGone(str(error)) from None
            if error.error not in _TOO_LARGE:
                raise
            await self._api.change(
                posted.channel, posted.stamps[0], brief_message(post, inbox=self._inbox)
            )

    @property
    def _opened(self) -> "tuple[_Parts, Answers]":
        if self._parts is None or self._answers is None:
            raise ChannelError("the channel is not open", whole=True)
        return self._parts, self._answers


class _Parts:
    """The parts that take payloads, put together for one engine."""

    def __init__(
        self,
        assent: Assent,
        api: SlackApi,
        tasks: Tasks,
        answers: Answers,
        *,
        name: str,
        agent: str,
        strangers: Strangers,
        decide_within: timedelta | None,
    ) -> None:
        desk = Desk(assent, name, SURFACES["slack"], LIMITS)
        self._api, self._tasks = api, tasks
        self._presses = Presses(api, desk, tasks, assent.channels.link)
        self._commands = Commands(assent, name, api, desk)
        self._talk = Talk(
            assent,
            name=name,
            api=api,
            desk=desk,
            presses=self._presses,
            answers=answers,
            agent=agent,
            strangers=strangers,
            decide_within=decide_within,
        )
        self.reception = Reception(
            event=self._event, interaction=self._interaction, command=self._command
        )

    async def _event(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Take an event. A failure is raised, so that Slack sends it once more."""
        if body.get("type") != "event_callback":
            return {}
        work = self._tasks.spawn(self._talk.hear(body))
        done, _ = await asyncio.wait({work}, timeout=ANSWER_SECONDS)
        if done:
            work.result()
        else:
            self._tasks.spawn(self._end_late(body, work))
        return {}

    async def _end_late(self, body: Mapping[str, Any], work: "asyncio.Task[None]") -> None:
        """See an event through that is acknowledged: Slack does not send it once more."""
        try:
            await work
        except Exception as error:
            level = logging.WARNING if isinstance(error, AssentError) else logging.ERROR
            has_trace = level == logging.ERROR
            log.log(level, "slack: a message failed after its time", exc_info=has_trace)
            await self._talk.regret(body, error)

    async def _interaction(self, body: Mapping[str, Any]) -> dict[str, Any]:
        match body.get("type"):
            case "block_actions":
                self._tasks.spawn(self._presses.press(body))
                return {}
            case "view_submission":
                return await self._presses.submit(body)
            case _:
                return {}

    async def _command(self, body: Mapping[str, Any]) -> dict[str, Any]:
        work = self._tasks.spawn(self._commands.run(body))
        done, _ = await asyncio.wait({work}, timeout=ANSWER_SECONDS)
        if done:
            return work.result()
        self._tasks.spawn(self._answer_later(str(body.get("response_url", "")), work))
        return {}

    async def _answer_later(self, url: str, work: "asyncio.Task[dict[str, Any]]") -> None:
        try:
            await self._api.respond(url, await work)
        except ChannelError as error:
            log.warning("slack: a command was not answered: %s", error)


def _token(start: str) -> Check:
    def read(given: object) -> object:
        fits = isinstance(given, str) and given.startswith(start) and given.isprintable()
        return given if fits else parameters.unfit()

    return Check(f"a token {start}…", read, hidden=True)


def _secret(given: object) -> object:
    return given if isinstance(given, str) and given.strip() else parameters.unfit()


def _room(given: object) -> object:
    room = Room(address=given) if isinstance(given, str) else given
    if not isinstance(room, Room) or not is_id(room.address):
        return parameters.unfit()
    return replace(room, address=room_address(room.address))


def _url(given: object) -> object:
    fits = isinstance(given, str) and given.startswith(("https://", "http://"))
    return given if fits else parameters.unfit()


_GIVEN: Final = {
    "token": _token("xoxb-"),
    "app_token": optional(_token("xapp-")),
    "signing_secret": optional(Check("the app's signing secret", _secret, hidden=True)),
    "room": parameters.several(
        Check("the id of a channel like 'C0123ABCD', or a Room with one", _room),
        tuple,
        "the id of a channel, or several",
    ),
    "agent": optional(parameters.name),
    "strangers": parameters.word("refuse", "welcome"),
    "decide_within": optional(parameters.duration()),
    "base_url": Check("the address of Slack's Web API", _url),
}
