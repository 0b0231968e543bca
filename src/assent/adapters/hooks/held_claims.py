"""Claims between the hook before a tool and the hook after it, which are two processes."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from assent.adapters.hooks.events import After, Before, Ended, HookEvent
from assent.domain import parameters
from assent.domain.parameters import Check
from assent.guard import CallClaim, lease_clock


def _folder(given: object) -> object:
    fits = isinstance(given, Path) or parameters.name.read(given) is given
    return Path(cast("str | Path", given)) if fits else parameters.unfit()


_FOLDER: Final = Check("the path of a folder", _folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldClaim:
    """A claim as its file holds it: without arguments, which may be secret."""

    path: Path
    claim: CallClaim
    session: str
    part: str

    def drop(self) -> None:
        """Delete the file: the claim is settled, or lost."""
        self.path.unlink(missing_ok=True)


class HeldClaims:
    """A folder with a file for each claim that has no outcome yet."""

    def __init__(self, folder: Path | str) -> None:
        self._folder: Path = _FOLDER.taken("HeldClaims", "folder", folder)

    def keep(self, event: Before, claim: CallClaim) -> Path:
        """Write a claim to its file, whole or not at all, readable by its owner only."""
        path = self._path(event.session, event.id)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = {
            "session": event.session,
            "part": event.part,
            "call_id": claim.call_id,
            "tool": claim.tool,
            "fence": claim.fence,
            "token": claim.token,
            "lease_seconds": claim.lease_seconds,
        }
        made = path.with_suffix(f".{os.getpid()}")
        made.touch(mode=0o600)
        made.write_text(json.dumps(kept))
        made.replace(path)
        return path

    def concerns(self, event: HookEvent) -> bool:
        """Return True unless an event reports on something that was never claimed."""
        match event:
            case Before():
                return True
            case After():
                return self._path(event.session, event.id).exists()
            case Ended():
                return any(self.of_session(event.session))

    def of(self, session: str, id: str) -> HeldClaim | None:
        """Return the claim of a tool's use, if there is one."""
        return read_claim(self._path(session, id))

    def of_session(self, session: str) -> Iterator[HeldClaim]:
        """Return the claims of a session that have no outcome yet."""
        for path in sorted(self._session(session).glob("*.json")):
            held = read_claim(path)
            if held is not None:
                yield held

    def _path(self, session: str, id: str) -> Path:
        return self._session(session) / f"{_name(id)}.json"

    def _session(self, session: str) -> Path:
        return self._folder / _name(session)


def read_claim(path: Path) -> HeldClaim | None:
    """Return the claim in a file; None if it is gone, or cannot be read."""
    try:
        kept = cast("dict[str, Any]", json.loads(path.read_text()))
        claim = CallClaim(
            call_id=kept["call_id"],
            tool=kept["tool"],
            fence=kept["fence"],
            token=kept["token"],
            arguments={},
            lease_seconds=kept["lease_seconds"],
            expires=lease_clock() + kept["lease_seconds"],
        )
        return HeldClaim(path=path, claim=claim, session=kept["session"], part=kept["part"])
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _name(id: str) -> str:
    # Ids come from outside, and are no names of files.
    return hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
