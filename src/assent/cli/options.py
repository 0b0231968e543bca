"""What the words of a command line stand for: a folder, a database, agents, a person, a screen."""

import getpass
import os
import sys
from argparse import Namespace
from pathlib import Path

from assent.cli.agent_loading import agents_at
from assent.cli.screen import Screen, wants_colour
from assent.demo.agent import Home, default_home, demo_agent
from assent.domain.people import Audience, Person
from assent.engine.agents import Agent
from assent.engine.assent import Assent
from assent.errors import InvalidCommand

_SQLITE = "sqlite:///"


def home_of(options: Namespace) -> Home:
    """The demo's folder."""
    return Home(root=Path(options.data_dir).resolve()) if options.data_dir else default_home()


def model_of(options: Namespace) -> str | None:
    """The real model that was asked for, if one was."""
    return options.model or os.environ.get("ASSENT_MODEL") or None


def url_of(text: str) -> str:
    """A database URL; a bare path is a SQLite file."""
    return text if "://" in text else f"{_SQLITE}{text}"


def existing_url(options: Namespace) -> str:
    """The database to look into; a missing one is an error, not a new one."""
    url = url_of(options.db) if options.db else home_of(options).url
    path = Path(url.removeprefix(_SQLITE))
    if url.startswith(_SQLITE) and not path.exists():
        raise InvalidCommand(f"there is no database at {str(path)!r}; name one with --db")
    return url


def agents_of(options: Namespace) -> tuple[Agent, ...]:
    """Whose tools judge edits and answers, and say what is secret; nothing runs here."""
    named: str | None = getattr(options, "agents", None)
    return agents_at(named) if named else (demo_agent(home_of(options)),)


def own_demo_agent(options: Namespace) -> Agent:
    """The demo's agent for a person alone at a terminal: they decide everything themselves."""
    return demo_agent(home_of(options), model_of(options), approvers=Audience())


async def person_of(assent: Assent, options: Namespace) -> Person:
    """Who sits here; with the roles of their account, if they have one."""
    name: str = options.user or login()
    account = await assent.people.find(name)
    return Person(name) if account is None or account.disabled else account.person


def login() -> str:
    """The name of whoever runs this."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run as somebody without a name
        return "you"


def open_screen() -> Screen:
    """The terminal, or whatever stands for it."""
    # What a terminal's encoding lacks is spelt out; it must not end the program.
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")
    return Screen(sys.stdout, colour=wants_colour(sys.stdout))


def without_password(url: str) -> str:
    """A database URL that can be shown."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
