"""`assent hook`: what Claude Code and Codex run before and after each of their tools.

A hook that crashes lets the call through, so whatever goes wrong here ends in a refusal.
"""

import argparse
import asyncio
import json
import math
import os
import sys
from argparse import Namespace
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from assent.errors import AssentError, InvalidCommand

if TYPE_CHECKING:
    from assent.adapters.hooks import Before, HookEvent, HookGate
    from assent.guard import Guard

BLOCKS: Final = 2
_REPORTS: Final = 1
_WAIT_SECONDS: Final = 3600.0
_LONGEST_SECONDS: Final = 24 * 3600
# Beyond waiting for people: for a database that is locked, a server that hangs.
_SPARE_SECONDS: Final = 30.0


def add_hook_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the hook."""
    command.description = (
        "Asks people before a coding agent runs a tool: reads the hook's event on stdin and "
        "answers on stdout. --install puts it into the agent's settings."
    )
    command.add_argument(
        "--client", choices=("claude", "codex"), default="claude", help="default: %(default)s"
    )
    command.add_argument(
        "--install",
        metavar="FILE",
        nargs="?",
        const="-",
        help="put the hooks into a file of settings; without FILE, print them",
    )
    command.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_seconds,
        default=_WAIT_SECONDS,
        help="how long the agent waits for people (default: %(default)g)",
    )
    command.add_argument(
        "--undecided",
        choices=("deny", "defer", "ask"),
        default="deny",
        help="what to answer then: deny closes the question, defer ends a `claude -p` that is "
        "resumed later, ask leaves it to the agent's own dialogue (default: %(default)s)",
    )
    command.add_argument(
        "--only-gate", action="store_true", help="what policy allows needs no other permission"
    )
    command.add_argument(
        "--skip-safe", action="store_true", help="let tools that only read run unrecorded"
    )
    command.add_argument("--tools", metavar="FILE", help="metadata of tools by name, as JSON")
    command.add_argument("--agent", metavar="NAME", help="default: the client's name")
    here = command.add_argument_group("on a database of this machine")
    here.add_argument("--db", metavar="URL", help="sqlite:///path, postgresql://… or a path")
    here.add_argument("--by", metavar="PERSON", help="for whom it acts (default: your login name)")
    here.add_argument("--review-url", metavar="URL", help="where its inbox is served")
    there = command.add_argument_group("with a server elsewhere")
    there.add_argument("--server", metavar="URL", help="for example https://assent.example.com")
    there.add_argument(
        "--key-file", metavar="FILE", help="the file with your API key (or set ASSENT_API_KEY)"
    )
    command.add_argument("--keep", metavar="FILE", help=argparse.SUPPRESS)
    command.add_argument("--parent", metavar="PID", type=int, default=0, help=argparse.SUPPRESS)
    command.add_argument("--debug", action="store_true", help="show logs and tracebacks")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86400")
    return seconds


def answer(options: Namespace) -> int:
    """Answer one hook, and return the exit code; 2 blocks the tool."""
    if options.install is not None:
        return _installed(options)
    text = ""
    try:
        if options.keep:
            from assent.cli.hook_keeper import keep

            asyncio.run(keep(options))
            return 0
        text = sys.stdin.read()
        return asyncio.run(_answered(options, text))
    except BaseException as error:  # noqa: BLE001 - anything else would let the call through
        return _refused(error, options, is_report='"PostToolUse' in text)


def _installed(options: Namespace) -> int:
    from assent.adapters.hooks import CodingTools
    from assent.cli.arguments import FAILED
    from assent.cli.hook_settings import install

    try:
        _want_place(options)
        # Only checked: with a mistake in them, the hook would refuse every call.
        CodingTools(_metadata(options))
        print(install(options))
    except (AssentError, OSError, ValueError) as error:
        print(f"assent: {error}", file=sys.stderr)
        return FAILED
    return 0


async def _answered(options: Namespace, text: str) -> int:
    from assent.adapters.hooks import Before, CodingTools, HeldClaims, event_of

    event = event_of(text)
    if event is None or not HeldClaims(state_folder()).concerns(event):
        return 0
    if not isinstance(event, Before):
        return await _reported(options, event)
    tools = CodingTools(_metadata(options))
    if options.skip_safe and tools.is_safe(event.tool):
        return 0
    async with asyncio.timeout(options.wait + _SPARE_SECONDS), open_gate(options, tools) as gate:
        await _rule(gate, event, options)
    return 0


async def _reported(options: Namespace, event: "HookEvent") -> int:
    from assent.adapters.hooks import CodingTools

    try:
        async with asyncio.timeout(_SPARE_SECONDS), open_gate(options, CodingTools()) as gate:
            await _report(gate, event)
    except Exception as error:  # noqa: BLE001 - "nothing was run" would make the agent repeat it
        # The tool has run: nothing can be refused any more, but its user is told.
        reason = str(error) or type(error).__name__
        print(f"assent: the outcome is not on record: {reason}", file=sys.stderr)
        return _REPORTS
    return 0


async def _rule(gate: "HookGate", event: "Before", options: Namespace) -> None:
    from assent.adapters.hooks import Allowed, Undecided
    from assent.cli.hook_answers import answer_of
    from assent.cli.hook_keeper import start_keeper

    ruling = await gate.before(event, wait=options.wait)
    if isinstance(ruling, Undecided) and not ruling.in_doubt and options.undecided != "defer":
        await gate.withdraw(ruling.call)
    if isinstance(ruling, Allowed):
        start_keeper(options, event)
    said = answer_of(ruling, options)
    if said is not None:
        print(json.dumps(said), flush=True)


async def _report(gate: "HookGate", event: "HookEvent") -> None:
    from assent.adapters.hooks import After, Ended

    if isinstance(event, After):
        await gate.after(event)
    elif isinstance(event, Ended) and (count := await gate.ended(event)):
        print(f"assent: {count} allowed calls have no outcome: in doubt", file=sys.stderr)


@asynccontextmanager
async def open_gate(options: Namespace, tools: Any) -> AsyncGenerator["HookGate"]:
    """Open the gate, with its guard on a database here or a server elsewhere."""
    from assent.adapters.hooks import HeldClaims, HookGate

    async with open_guard(options) as guard:
        yield HookGate(guard, tools, HeldClaims(state_folder()))


@asynccontextmanager
async def open_guard(options: Namespace) -> AsyncGenerator["Guard"]:
    """Open the guard that the options name."""
    agent = options.agent or options.client
    _want_place(options)
    if options.server is not None:
        from assent.cli.inbox_app.opening import key_of, server_of
        from assent.client import AsyncClient

        async with AsyncClient(server_of(options), key=key_of(options), agent=agent) as client:
            yield client
        return
    from assent.app import Assent
    from assent.cli.options import login, url_of

    url, review = url_of(options.db), options.review_url or ""
    async with Assent(url, agents=(), worker=False, review_url=review) as assent:
        yield assent.guard_for(agent=agent, by=options.by or login())


def _want_place(options: Namespace) -> None:
    if (options.server is None) == (options.db is None):
        raise InvalidCommand("name either a database with --db or a server with --server")


def state_folder() -> Path:
    """Return where claims are kept between two hooks."""
    named = os.environ.get("ASSENT_HOOK_DIR")
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(named) if named else Path(state) / "assent" / "hooks"


def _metadata(options: Namespace) -> dict[str, Any]:
    if options.tools is None:
        return {}
    given = json.loads(Path(options.tools).read_text("utf-8"))
    if not isinstance(given, dict) or not all(
        isinstance(said, dict) for said in cast("dict[str, object]", given).values()
    ):
        raise InvalidCommand(f"{options.tools!r} has to hold an object with one object per tool")
    return cast("dict[str, Any]", given)


def _refused(error: BaseException, options: Namespace, *, is_report: bool) -> int:
    if options.debug and not isinstance(error, SystemExit):
        import traceback

        traceback.print_exception(error)
    reason = str(error) or type(error).__name__
    # Told of a tool that has perhaps run, it would make the agent repeat it.
    said = (
        "Assent could not be told." if is_report else "Nothing was run: Assent could not be asked."
    )
    print(f"{said} {reason}", file=sys.stderr, flush=True)
    return BLOCKS
