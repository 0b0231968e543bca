"""The commands: each opens what it needs, does one thing and says how it went."""

import asyncio
import getpass
import logging
import signal
import sys
from argparse import Namespace
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from assent.app import Assent
from assent.cli.banner import show_banner, show_chat_banner
from assent.cli.chat import Chat
from assent.cli.console import Console
from assent.cli.desk import Desk
from assent.cli.docket import Docket, docket_of
from assent.cli.following import Follower
from assent.cli.inbox import show_conversations, show_pending
from assent.cli.keyboard import Closed, Interrupted, Interrupts, open_keyboard
from assent.cli.loading import agents_at
from assent.cli.screen import Ink, Screen, wants_colour
from assent.cli.verdicts import STDIN, verdict_of
from assent.demo.agent import Home, default_home, demo_agent
from assent.domain.decisions import Approve, RunAgain
from assent.domain.errors import InvalidCommand, NotFound
from assent.domain.people import ADMIN, Person
from assent.domain.tools import Risk
from assent.engine.agents import Agent
from assent.presentation.text import safe_line

_SQLITE = "sqlite:///"


async def run(options: Namespace) -> int:
    """Run the command that was asked for."""
    _log(options)
    this = asyncio.current_task()
    if this is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    await _COMMANDS[options.command](options)
    return 0


def _log(options: Namespace) -> None:
    # Warnings are for whoever operates a server; in a chat they would stand between the lines.
    if options.debug:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    else:
        logging.getLogger("assent").addHandler(logging.NullHandler())


async def demo(options: Namespace) -> None:
    """The demo: its own folder, its own agent."""
    home = _home(options.data_dir)
    is_new = home.furnish()
    agent = demo_agent(home, options.model)
    url = _url(options.db) if options.db else home.url

    def banner(screen: Screen) -> None:
        show_banner(screen, home, model=options.model, is_new=is_new)

    await _talk(url, (agent,), agent.name, options, banner)


def _home(folder: str | None) -> Home:
    return Home(root=Path(folder).resolve()) if folder else default_home()


async def chat(options: Namespace) -> None:
    """A chat with somebody's own agents."""
    agents = agents_at(options.agents)
    name: str = options.agent or agents[0].name
    if name not in {agent.name for agent in agents}:
        raise InvalidCommand(f"{options.agents!r} has no agent {name!r}")
    url = _url(options.db or "assent.db")
    await _talk(url, agents, name, options, lambda screen: show_chat_banner(screen, name, url))


async def _talk(
    url: str,
    agents: Sequence[Agent],
    name: str,
    options: Namespace,
    banner: Callable[[Screen], None],
) -> None:
    screen, interrupts = _screen(), Interrupts()
    interrupts.install()
    async with Assent(url, agents=agents) as assent:
        banner(screen)
        speaker = f"{name} · {assent.kernel.catalogue.model(name).name}"
        talk = Chat(
            assent=assent,
            console=Console(screen, open_keyboard(screen, interrupts)),
            interrupts=interrupts,
            follower=Follower(assent, screen, safe_line(speaker)),
            agent=name,
            person=_person(options),
        )
        await talk.run()


async def pending(options: Namespace) -> None:
    """List what waits, beside a running worker or without one."""
    screen, person = _screen(), _person(options)
    async with Assent(_existing(options), agents=_agents(options), worker=False) as assent:
        requests = await assent.pending(person=None if options.all else person)
        if not requests:
            whom = "anybody" if options.all else safe_line(person.id)
            screen.line(f"Nothing waits for {whom}.")
        await show_pending(assent, screen, requests)


async def decide(options: Namespace) -> None:
    """Decide one request, beside a running worker or without one."""
    screen, interrupts = _screen(), Interrupts()
    interrupts.install()
    console = Console(screen, open_keyboard(screen, interrupts))
    async with Assent(_existing(options), agents=_agents(options), worker=False) as assent:
        docket = await docket_of(assent, options.request)
        person = _person(options)
        if not docket.is_visible_to(person):
            raise NotFound("request", options.request)
        if docket.tool is None:
            hint = "name its agents with --agents module:name"
            raise InvalidCommand(f"agent {docket.request.agent!r} is not known here: {hint}")
        desk = Desk(assent=assent, console=console, person=person)
        try:
            await _sit(desk, docket, options)
        except (Interrupted, Closed):
            screen.line("Nothing is decided; it keeps waiting.", Ink.WARNING)


async def _sit(desk: Desk, docket: Docket, options: Namespace) -> None:
    """Ask, or do as the command line says; what it says is shown before it counts."""
    if options.verdict is None:
        await desk.decide(docket.request.id)
        return
    desk.show(docket)
    verdict = verdict_of(options)
    runs = isinstance(verdict, Approve | RunAgain) and docket.request.risk == Risk.DANGEROUS
    question = f"{safe_line(docket.request.tool)} is dangerous. It runs as soon as a worker runs."
    if not runs or options.yes or await desk.console.is_sure(question):
        await desk.cast(docket, verdict)


async def export(options: Namespace) -> None:
    """Print a conversation as JSON, or which ones there are."""
    person = _person(options)
    async with Assent(_existing(options), agents=(), worker=False) as assent:
        if options.conversation is not None:
            print(await assent.export(options.conversation, by=person))
            return
        await show_conversations(assent, _screen(), person)


async def import_(options: Namespace) -> None:
    """Take an exported conversation in, as one's own."""
    text = (
        sys.stdin.read() if options.file == STDIN else await asyncio.to_thread(_text, options.file)
    )
    # Whoever can open the database this way could write anything into it.
    person = Person(_person(options).id, roles=frozenset({ADMIN}))
    async with Assent(_existing(options), agents=_agents(options), worker=False) as assent:
        print(await assent.import_(text, by=person))


def _text(path: str) -> str:
    return sys.stdin.read() if path == STDIN else Path(path).read_text(encoding="utf-8")


def _agents(options: Namespace) -> tuple[Agent, ...]:
    # Their tools judge edits and answers, and say what is secret; nothing runs here.
    named: str | None = getattr(options, "agents", None)
    return agents_at(named) if named else (demo_agent(_home(options.data_dir)),)


def _existing(options: Namespace) -> str:
    """The database to look into; a missing one is an error, not a new one."""
    url = _url(options.db) if options.db else _home(options.data_dir).url
    path = Path(url.removeprefix(_SQLITE))
    if url.startswith(_SQLITE) and not path.exists():
        raise InvalidCommand(f"there is no database at {str(path)!r}; name one with --db")
    return url


def _url(text: str) -> str:
    return text if "://" in text else f"{_SQLITE}{text}"


def _person(options: Namespace) -> Person:
    return Person(options.user or _login())


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as somebody without a name
        return "you"


def _screen() -> Screen:
    # What a terminal's encoding lacks is spelt out; it must not end the program.
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")
    return Screen(sys.stdout, colour=wants_colour(sys.stdout))


_COMMANDS: dict[str, Callable[[Namespace], Awaitable[None]]] = {
    "demo": demo,
    "chat": chat,
    "pending": pending,
    "decide": decide,
    "export": export,
    "import": import_,
}
