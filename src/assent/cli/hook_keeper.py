"""The keeper: renews a claim while a coding agent runs the tool, which no hook can see.

It ends when the claim is settled, and when the agent is gone: then the call is in doubt.
"""

import asyncio
import os
import subprocess
import time
from argparse import Namespace
from pathlib import Path
from typing import Final

from assent.adapters.hooks import Before, HeldClaims
from assent.adapters.hooks.held_claims import read_claim
from assent.cli.hook import open_guard, state_folder
from assent.cli.hook_settings import connection_of, program
from assent.errors import AssentError, LeaseLost

# A lease is renewed this many times before it would run out.
_BEATS: Final = 3
# Nothing that a coding agent runs in the foreground takes longer.
_LONGEST_SECONDS: Final = 24 * 3600
_SHELLS: Final = ("sh", "bash", "dash", "zsh", "fish", "ash")


def start_keeper(options: Namespace, event: Before) -> None:
    """Start the keeper of a claim that was just kept; it outlives this process."""
    held = HeldClaims(state_folder()).of(event.session, event.id)
    if held is None:
        return
    more = ["--keep", str(held.path), "--parent", str(_agent())]
    arguments = [*program(), "hook", *connection_of(options), *more]
    # The agent reads the hook's output to its end, so nothing of it may stay open.
    closed = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(arguments[0], arguments, os.environ, file_actions=closed, setsid=True)


async def keep(options: Namespace) -> None:
    """Renew a claim for as long as its file is there and the agent lives."""
    path, ends = Path(options.keep), time.monotonic() + _LONGEST_SECONDS
    held = read_claim(path)
    if held is None:
        return
    claim = held.claim
    async with open_guard(options) as guard:
        while _is_wanted(path, options.parent) and time.monotonic() < ends:
            try:
                claim = await guard.renew(claim)
            except LeaseLost:
                return
            except AssentError:
                # An outage may be over before the lease is.
                pass
            await asyncio.sleep(claim.lease_seconds / _BEATS)


def _agent() -> int:
    """Return the process that runs the tool: the parent, or its parent if that is a shell."""
    parent = os.getppid()
    name, above = _facts(parent)
    return above if name in _SHELLS and above > 1 else parent


def _facts(pid: int) -> tuple[str, int]:
    asked = ["ps", "-o", "ppid=,comm=", "-p", str(pid)]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout  # noqa: S603
        above, _, name = said.strip().partition(" ")
        return Path(name.strip()).name.removeprefix("-"), int(above)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return "", 0


def _is_wanted(path: Path, pid: int) -> bool:
    """Return True while the claim has no outcome and the agent lives."""
    if not path.exists():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
