"""The demo's three accounts, and the file with their API keys."""

import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from assent.domain.people import ADMIN, APPROVER, REQUESTER, SYSTEM, Person
from assent.engine.people.accounts import People

KEYS_FILE = "demo-keys.json"
# `user` decides about their own agent; commands go to an approver who is not the requester.
ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "user": frozenset({REQUESTER}),
        "approver": frozenset({APPROVER, REQUESTER}),
        "admin": frozenset({ADMIN, REQUESTER}),
    }
)


async def ensure_accounts(people: People, folder: Path) -> dict[str, str]:
    """Create missing accounts and keys, and return the key of each account."""
    path = folder / KEYS_FILE
    kept = await asyncio.to_thread(_read, path)
    keys = {name: await _key(people, name, kept.get(name, "")) for name in ROLES}
    # Written even if nothing changed: its permissions may have been widened since.
    await asyncio.to_thread(_write, path, keys)
    return keys


async def _key(people: People, name: str, kept: str) -> str:
    if await people.find(name) is None:
        await people.add(Person(name, roles=ROLES[name]), by=SYSTEM)
    known = await people.by_key(kept)
    if known is not None and known[0].id == name:
        return kept
    _, text = await people.issue_key(name, by=SYSTEM, label=KEYS_FILE)
    return text


def _read(path: Path) -> dict[str, str]:
    try:
        kept: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {str(k): str(v) for k, v in cast("dict[object, object]", kept).items()}


def _write(path: Path, keys: Mapping[str, str]) -> None:
    # Created readable for us alone and then moved into place, so that no one else can ever read it.
    descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(json.dumps(keys, indent=2) + "\n")
    Path(fresh).replace(path)
