"""The commands that serve: the demo, and the user's own agents."""

import gc
import logging.config
import re
from argparse import Namespace
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from assent.app import Assent
from assent.cli.accounts import sign_in_link
from assent.cli.agent_loading import agents_at
from assent.cli.listening import Listener, bind
from assent.cli.options import home_of, login, model_of, open_screen, url_of, without_password
from assent.cli.screen import Ink, Screen
from assent.cli.welcome import Doors, show_demo, show_service
from assent.demo.accounts import ROLES, ensure_accounts
from assent.demo.agent import AGENT, demo_agent
from assent.domain.people import ADMIN, APPROVER, REQUESTER, SYSTEM, Person
from assent.engine.people.accounts import People
from assent.errors import InvalidCommand

if TYPE_CHECKING:
    from assent.server import Settings

Ready = Callable[[], Awaitable[None]]
# A person who serves agents on their own machine for themselves has every role there.
_OWN_ROLES = frozenset({REQUESTER, APPROVER, ADMIN})


async def demo(options: Namespace) -> None:
    """Serve the demo, with its own folder, its own agent and three accounts."""
    home, model, screen = home_of(options), model_of(options), open_screen()
    settings = _settings(options, listener := bind(options), AGENT)
    _log(options)
    with listener.socket:
        home.furnish()
        url = url_of(options.db) if options.db else home.url
        assent = Assent(url, agents=[demo_agent(home, model)])

        async def ready() -> None:
            await ensure_accounts(assent.people, home.root)
            doors = await _doors(assent.people, listener, *ROLES)
            show_demo(screen, home, doors, model)

        await _run(assent, settings, listener, screen, ready)


async def serve(options: Namespace) -> None:
    """Serve the user's own agents."""
    agents, screen = agents_at(options.agents), open_screen()
    settings = _settings(options, listener := bind(options), agents[0].name)
    _log(options)
    with listener.socket:
        url = url_of(options.db or "assent.db")
        assent = Assent(url, agents=agents)

        async def ready() -> None:
            names = [await _own_account(assent.people)] if listener.is_local else []
            doors = await _doors(assent.people, listener, *names)
            show_service(screen, [agent.name for agent in agents], without_password(url), doors)

        await _run(assent, settings, listener, screen, ready)


def _settings(options: Namespace, listener: Listener, agent: str) -> "Settings":
    try:
        from assent.server import Settings
    except ModuleNotFoundError as error:
        raise InvalidCommand(
            f"serving needs {error.name!r}; install it with: pip install 'assent[server]'"
        ) from error
    return Settings(
        origin=listener.origin,
        agent=agent,
        local=listener.is_local,
        frontends=tuple(options.frontend),
        ai_sdk=options.ai_sdk,
    )


def _log(options: Namespace) -> None:
    """Log to stderr, one line per record: warnings and errors, with `--debug` everything."""
    from assent.server.logs import log_config

    logging.config.dictConfig(log_config("DEBUG" if options.debug else "WARNING"))


async def _own_account(people: People) -> str:
    # A login name may contain characters that the id of an account cannot have.
    name = re.sub(r"[^A-Za-z0-9]+", "-", login()).strip("-") or "me"
    if await people.find(name) is None:
        await people.add(Person(name, roles=_OWN_ROLES), by=SYSTEM)
    return name


async def _doors(people: People, listener: Listener, *names: str) -> Doors:
    """Return the addresses of the server, with a one-time sign-in link for each name."""
    links = {name: await sign_in_link(people, name, listener.origin) for name in names}
    return Doors(origin=listener.origin, address=listener.address, links=links)


async def _run(
    assent: Assent, settings: "Settings", listener: Listener, screen: Screen, ready: Ready
) -> None:
    from assent.cli.server_process import run
    from assent.server import create_app

    app = create_app(assent, settings)
    # Opened here and not by uvicorn, which would turn every error into an exit code.
    async with app.router.lifespan_context(app):
        # What is loaded now stays loaded: the garbage collector need not look at it again, which
        # saves a twentieth of the work.
        gc.collect()
        gc.freeze()
        await run(app, listener, screen, ready)
    screen.line("Stopped.", Ink.FAINT)
