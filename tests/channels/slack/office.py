"""An engine with an agent that people talk to in the loopback Slack."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from assent import Agent, Assent, Person, tool
from assent.channels.slack import Slack
from assent.domain.messages import Prompt, UserSaid
from assent.domain.people import SYSTEM
from assent.models.scripted import ScriptStep
from assent.server import create_app
from assent.testing import ScriptedModel
from assent.testing.channels import until
from tests.channels.slack.member import Member
from tests.channels.slack.server import LoopbackSlack
from tests.server.conftest import listening


@dataclass
class Office:
    """The engine, its script, and what its tool did."""

    slack: LoopbackSlack
    assent: Assent
    model: ScriptedModel
    script: deque[ScriptStep]
    deleted: list[str] = field(default_factory=list)

    async def link(self, member: Member, *roles: str) -> Person:
        """Give a member an account, and link it."""
        name = member.user.name
        person = Person(name, roles=frozenset(roles))
        if await self.assent.people.find(name) is None:
            await self.assent.people.add(person, by=SYSTEM)
        await self.assent.people.chats.welcome(name, "slack", member.id, name)
        return person

    @property
    def heard(self) -> list[str]:
        """What people said, as the model got it."""
        said = (prompt.history[-1] for prompt in self.model.prompts)
        return [each.text for each in said if isinstance(each, UserSaid)]


def channel_of(slack: LoopbackSlack, **options: Any) -> Slack:
    """The channel, in Socket Mode unless told otherwise."""
    if "signing_secret" not in options:
        options = {"app_token": slack.app_token, **options}
    return Slack(token=slack.bot_token, base_url=slack.base_url, **options)


@asynccontextmanager
async def opened(
    slack: LoopbackSlack,
    url: str,
    *steps: ScriptStep,
    channel: Slack | None = None,
    words: timedelta = timedelta(0),
    over_http: bool = False,
    serving: bool = True,
    in_order: bool = False,
    **options: Any,
) -> AsyncGenerator[Office]:
    """An office with a script; `delete` asks first, and waits five minutes in a chat.

    Each step answers a message of a person, or with `in_order` each request to the model.
    `over_http` serves it with the real server, at which Slack then reaches it.
    """
    script = deque(steps)
    found = list[Office]()

    def answer(prompt: Prompt) -> ScriptStep:
        is_new = in_order or isinstance(prompt.history[-1], UserSaid)
        return script.popleft() if is_new and script else "Done."

    @tool(requires_approval=True)
    def delete(path: str) -> str:
        """Delete a file."""
        found[0].deleted.append(path)
        return f"deleted {path}"

    model = ScriptedModel(answer, word_delay=words)
    secret = {"signing_secret": slack.signing_secret} if over_http else {}
    made = channel or channel_of(slack, **secret)
    agent = Agent("agent", model=model, tools=[delete, *(options.pop("more_tools", ()))])
    assent = Assent(
        url, agents=[agent], channels=[made], review_url="https://assent.test", **options
    )
    running = listening(create_app(assent)) if over_http else assent
    async with running as base:
        if over_http:
            slack.reach_app_at(f"{base}/channels/slack")
        office = Office(slack=slack, assent=assent, model=model, script=script)
        found.append(office)

        async def served() -> bool:
            return assent.channels.is_serving("slack")

        if serving:
            await until("the channel to be served", served)
        yield office
