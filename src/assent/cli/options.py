"""Reading of common options: the folder, the database, the agents, the person, the screen."""

import getpass
import importlib
import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from assent.app import Assent
from assent.cli.screen import Screen, wants_colour
from assent.demo.agent import PEOPLE_MAY_ALLOW, Home, default_home, demo_agent
from assent.domain.people import Audience, Person
from assent.engine import facade_parameters
from assent.engine.agents import Agent
from assent.engine.deliveries.channel import Channel
from assent.errors import InvalidCommand

_SQLITE = "sqlite:///"


def agents_at(spec: str) -> tuple[Agent, ...]:
    """Return the agents at `module:name`: one agent, several, or a function that returns them."""
    agents = tuple(agent for agent in _several(spec, "agents") if isinstance(agent, Agent))
    if not agents:
        raise InvalidCommand(f"{spec!r} is neither an Agent nor several of them")
    return agents


def channels_at(spec: str | None) -> tuple[Channel, ...]:
    """Return the channels at `module:name`, in the same forms as agents; none without a name."""
    if spec is None:
        return ()
    check = facade_parameters.SETTINGS["channels"]
    channels = check.read([*_several(spec, "channels")])
    if not isinstance(channels, tuple) or not channels:
        raise InvalidCommand(f"{spec!r} is neither a channel nor several of them")
    return cast("tuple[Channel, ...]", channels)


def _several(spec: str, what: str) -> Iterable[object]:
    module, _, name = spec.partition(":")
    if not module or not name:
        raise InvalidCommand(f"{spec!r} names no {what}: write module:name")
    found = _found(module, name)
    made = found() if callable(found) else found
    return cast("Iterable[object]", made) if isinstance(made, Iterable) else (made,)


def _found(module: str, name: str) -> object:
    # As with `python -m`, modules in the current folder can be named.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise InvalidCommand(f"there is no module {error.name!r} to import from here") from error
    try:
        return getattr(found, name)
    except AttributeError:
        raise InvalidCommand(f"module {module!r} has no {name!r}") from None


def home_of(options: Namespace) -> Home:
    """Return the folder of the demo."""
    return Home(root=Path(options.data_dir).resolve()) if options.data_dir else default_home()


def model_of(options: Namespace) -> str | None:
    """Return the name of the real model that was asked for; None for the scripted model."""
    return options.model or os.environ.get("ASSENT_MODEL") or None


def url_of(text: str) -> str:
    """Return the text as a database URL; a bare path is a SQLite file."""
    return text if "://" in text else f"{_SQLITE}{text}"


def existing_url(options: Namespace) -> str:
    """Return the URL of the database to open; a missing one is an error and is not created."""
    url = url_of(options.db) if options.db else home_of(options).url
    path = Path(url.removeprefix(_SQLITE))
    if url.startswith(_SQLITE) and not path.exists():
        raise InvalidCommand(f"there is no database at {str(path)!r}; name one with --db")
    return url


def agents_of(options: Namespace) -> tuple[Agent, ...]:
    """Return the agents whose tools check edits and answers and name secrets; no tool runs here."""
    named: str | None = getattr(options, "agents", None)
    return agents_at(named) if named else (demo_agent(home_of(options)),)


def beside(options: Namespace) -> Assent:
    """Return an engine without a worker, on the database of another that has the same agents.

    Where they are the demo's, so is its policy: what is decided under another is asked again.
    """
    permitted = () if getattr(options, "agents", None) else PEOPLE_MAY_ALLOW
    url, agents = existing_url(options), agents_of(options)
    return Assent(url, agents=agents, worker=False, people_may_allow=permitted)


def own_demo_agent(options: Namespace) -> Agent:
    """Return the demo's agent for one person at a terminal, who decides everything themselves."""
    return demo_agent(home_of(options), model_of(options), approvers=Audience())


async def person_of(assent: Assent, options: Namespace) -> Person:
    """Return the person at this terminal, with the roles of their account if they have one."""
    name: str = options.user or login()
    account = await assent.people.find(name)
    return Person(name) if account is None or account.disabled else account.person


def login() -> str:
    """Return the name of the user who runs this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container the user may have no name
        return "you"


def open_screen() -> Screen:
    """Return a screen that writes to stdout."""
    # Characters that the terminal's encoding lacks are escaped; they must not end the program.
    if (reconfigure := getattr(sys.stdout, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")
    return Screen(sys.stdout, colour=wants_colour(sys.stdout))


def without_password(url: str) -> str:
    """Return a database URL without its user and password, so that it can be shown."""
    scheme, _, rest = url.partition("://")
    if scheme.startswith("sqlite"):
        return url
    place, _, query = rest.partition("?")
    # Either side may hold a password; with an @ behind the ? nobody can say where it ends.
    shown = "…" if "@" in query else place.rpartition("@")[2]
    return f"{scheme}://{shown}"
