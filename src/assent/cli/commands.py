"""The commands: each opens what it needs, does one thing and reports the result."""

import asyncio
import logging
import signal
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable
from pathlib import Path

from assent.app import Assent
from assent.cli import accounts, serving
from assent.cli.chat import Chat
from assent.cli.console import Console
from assent.cli.deliveries import deliveries
from assent.cli.gateway import gateway
from assent.cli.inbox import show_conversations, show_pending
from assent.cli.keyboard import Closed, Interrupted, Interrupts, open_keyboard
from assent.cli.options import (
    agents_at,
    beside,
    existing_url,
    home_of,
    model_of,
    open_screen,
    own_demo_agent,
    person_of,
    url_of,
    without_password,
)
from assent.cli.own_rules import rules
from assent.cli.preferences import preferences
from assent.cli.request_view import RequestView, view_of
from assent.cli.review_session import ReviewSession
from assent.cli.screen import Ink, Screen
from assent.cli.tools import tools
from assent.cli.turn_output import Follower
from assent.cli.verdicts import STDIN, verdict_of
from assent.demo.agent import PEOPLE_MAY_ALLOW, Home
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import RunVerdict
from assent.domain.people import ADMIN, Person
from assent.errors import InvalidCommand, NotFound
from assent.presentation.text import safe_line

_TRY = (
    ("Perform a dangerous operation on test.txt", "approve, edit or reject"),
    ("write hello.txt: Hello, world!", "see the diff first"),
    ("read notes.txt and delete test.txt", "one runs, one waits"),
    ("connect to example.com", "a form, with a secret"),
    ("refund 400", "you settle it"),
)


def show_banner(screen: Screen, home: Home, *, model: str | None, is_new: bool) -> None:
    """Print the greeting of the demo; a short one if its folder was there before."""
    which = f"The model is {model}." if model else "The model is a script: no key, no network."
    screen.line("Assent: an agent that asks before it acts.", Ink.STRONG)
    screen.words(f"{which} Files live in {home.workspace}", Ink.FAINT)
    if is_new:
        screen.line()
        for sentence, what in _TRY:
            screen.line(f"  {sentence:<44}{screen.paint(what, Ink.FAINT)}")
        screen.line()
    screen.words("help lists more, /help the commands. Ctrl-D leaves; what waits is kept.")


def show_chat_banner(screen: Screen, agent: str, url: str) -> None:
    """Print the greeting of a chat with the user's own agent."""
    screen.line(f"Assent: {agent} asks you before it acts.", Ink.STRONG)
    screen.words(f"Database: {without_password(url)}", Ink.FAINT)
    screen.words("/help lists the commands. Ctrl-D leaves; what waits is kept.")


async def run(options: Namespace) -> int:
    """Run the command that the options name."""
    _log(options)
    this = asyncio.current_task()
    if this is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    await _COMMANDS[options.command](options)
    return 0


def _log(options: Namespace) -> None:
    # Warnings are for the operator of a server; in a chat they would appear between the lines.
    if options.debug:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    else:
        logging.getLogger("assent").addHandler(logging.NullHandler())


async def chat(options: Namespace) -> None:
    """Chat at the terminal, with the user's own agents or the demo's."""
    await (_chat_with_own(options) if options.agents else _chat_with_demo(options))


async def _chat_with_demo(options: Namespace) -> None:
    home = home_of(options)
    is_new = home.furnish()
    agent, model = own_demo_agent(options), model_of(options)
    url = url_of(options.db) if options.db else home.url

    def banner(screen: Screen) -> None:
        show_banner(screen, home, model=model, is_new=is_new)

    assent = Assent(url, agents=agent, people_may_allow=PEOPLE_MAY_ALLOW)
    await _talk(assent, agent.name, options, banner)


async def _chat_with_own(options: Namespace) -> None:
    agents = agents_at(options.agents)
    name: str = options.agent or agents[0].name
    if name not in {agent.name for agent in agents}:
        raise InvalidCommand(f"{options.agents!r} has no agent {name!r}")
    url = url_of(options.db or "assent.db")
    assent = Assent(url, agents=agents)
    await _talk(assent, name, options, lambda screen: show_chat_banner(screen, name, url))


async def _talk(
    assent: Assent, name: str, options: Namespace, banner: Callable[[Screen], None]
) -> None:
    screen, interrupts = open_screen(), Interrupts()
    interrupts.install()
    async with assent:
        banner(screen)
        speaker = f"{name} · {assent.catalogue.model(name).name}"
        talk = Chat(
            assent=assent,
            console=Console(screen, open_keyboard(screen, interrupts)),
            interrupts=interrupts,
            follower=Follower(assent, screen, safe_line(speaker)),
            agent=name,
            person=await person_of(assent, options),
        )
        await talk.run()


async def inbox(options: Namespace) -> None:
    """Open the full-screen inbox."""
    # Imported only now, because no other command needs what it needs.
    from assent.cli.inbox_app.opening import open_inbox

    await open_inbox(options)


async def pending(options: Namespace) -> None:
    """List the requests that wait, beside a running worker or without one."""
    screen = open_screen()
    async with beside(options) as assent:
        person = await person_of(assent, options)
        requests = await assent.pending(person=None if options.all else person)
        if not requests:
            whom = "anybody" if options.all else safe_line(person.id)
            screen.line(f"Nothing waits for {whom}.")
        await show_pending(assent, screen, requests)


async def decide(options: Namespace) -> None:
    """Decide one request, beside a running worker or without one."""
    screen, interrupts = open_screen(), Interrupts()
    interrupts.install()
    console = Console(screen, open_keyboard(screen, interrupts))
    async with beside(options) as assent:
        view = await view_of(assent, options.request)
        person = await person_of(assent, options)
        if not view.is_visible_to(person):
            raise NotFound("request", options.request)
        if view.tool is None:
            hint = "name its agents with --agents module:name"
            raise InvalidCommand(f"agent {view.request.agent!r} is not known here: {hint}")
        session = ReviewSession(assent=assent, console=console, person=person)
        try:
            await _review(session, view, options)
        except (Interrupted, Closed):
            screen.line("Nothing is decided; it keeps waiting.", Ink.WARNING)


async def _review(session: ReviewSession, view: RequestView, options: Namespace) -> None:
    """Ask the person, or decide as the command line says; what is decided is always shown first."""
    if options.verdict is None:
        await session.decide(view.request.id)
        return
    said = verdict_of(options)
    # With `--yes` the caller may be a script, which cannot turn pages.
    shown = await session.show(view, paged=not options.yes)
    if shown is None:
        raise Interrupted
    verdict = await session.previewed(view, said, paged=not options.yes)
    if verdict is None:
        raise Interrupted
    if options.yes or options.typed is not None:
        await session.cast(view, verdict, shown)
        return
    runs = isinstance(verdict, RunVerdict)
    question = f"{view.warning} It runs as soon as a worker runs."
    takes_step = runs and view.card.confirmation is Confirmation.STEP
    if not takes_step or await session.console.is_sure(question):
        await session.confirmed(view, verdict, shown)


async def export(options: Namespace) -> None:
    """Print a conversation as JSON, or list the conversations."""
    async with Assent(existing_url(options), agents=(), worker=False) as assent:
        person = await person_of(assent, options)
        if options.conversation is not None:
            print(await assent.export(options.conversation, by=person))
            return
        await show_conversations(assent, open_screen(), person)


async def import_(options: Namespace) -> None:
    """Import an exported conversation; the person who imports it becomes its owner."""
    text = (
        sys.stdin.read() if options.file == STDIN else await asyncio.to_thread(_text, options.file)
    )
    async with beside(options) as assent:
        # A person who can open the database this way could write anything into it.
        person = Person((await person_of(assent, options)).id, roles=frozenset({ADMIN}))
        print(await assent.import_(text, by=person))


def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


_COMMANDS: dict[str, Callable[[Namespace], Awaitable[None]]] = {
    "demo": serving.demo,
    "serve": serving.serve,
    "discord": serving.serve_discord,
    "slack": serving.serve_slack,
    "gateway": gateway,
    "chat": chat,
    "inbox": inbox,
    "pending": pending,
    "decide": decide,
    "export": export,
    "import": import_,
    "keys": accounts.keys,
    "people": accounts.people,
    "deliveries": deliveries,
    "tools": tools,
    "rules": rules,
    "preferences": preferences,
}
