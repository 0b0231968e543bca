"""The settings that make a coding agent run the hook."""

import json
import os
import re
import shlex
import sys
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from assent.domain.canonical import Json
from assent.errors import InvalidCommand

_SPARE_SECONDS: Final = 60
_AFTER_SECONDS: Final = 60
_EVENTS: Final = {
    "claude": ("PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"),
    "codex": ("PostToolUse", "Stop"),
}
_VALUES: Final = ("client", "undecided", "tools", "agent", "db", "by", "review_url", "server")
_FLAGS: Final = ("only_gate", "skip_safe")
# A command that `_command` wrote, also with the path of an installation that is gone.
_OURS: Final = re.compile(r"(?:^|/)assent'? hook --wait |-m assent\.cli hook --wait ")


def install(options: Namespace) -> str:
    """Write the hooks into the named file, or return them as JSON; returns what to print."""
    hooks = hooks_of(options)
    if options.install == "-":
        return json.dumps({"hooks": hooks}, indent=2)
    path = Path(options.install).expanduser()
    _write(path, _merged(path, hooks))
    return f"The hooks are in {path}. They count from the agent's next session on."


def _merged(path: Path, ours: Mapping[str, list[Json]]) -> dict[str, Json]:
    """Return a file's settings with our hooks in place of those that it has of ours."""
    settings = _read(path)
    found = settings.get("hooks", {})
    if not isinstance(found, dict) or not all(isinstance(each, list) for each in found.values()):
        raise _unusable(path, "its 'hooks' are not lists by event")
    theirs = {
        event: [group for group in cast("list[Json]", groups) if not _is_ours(group)]
        for event, groups in found.items()
    }
    events = dict.fromkeys((*theirs, *ours))
    merged = {event: [*theirs.get(event, []), *ours.get(event, [])] for event in events}
    return {**settings, "hooks": {event: groups for event, groups in merged.items() if groups}}


def _read(path: Path) -> dict[str, Json]:
    try:
        settings = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _unusable(path, str(error)) from None
    if not isinstance(settings, dict):
        raise _unusable(path, "it is not a JSON object")
    return cast("dict[str, Json]", settings)


def _unusable(path: Path, why: str) -> InvalidCommand:
    return InvalidCommand(f"{path} cannot take the hooks: {why}. It was left as it is.")


def _is_ours(group: Json) -> bool:
    match group:
        case {"hooks": [{"command": str(command)}]}:
            return bool(_OURS.search(command))
        case _:
            return False


def _write(path: Path, settings: Mapping[str, Json]) -> None:
    # An agent that finds half a file runs without the hooks.
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
        Path(draft).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        Path(draft).replace(target)
    except OSError as error:
        raise _unusable(path, str(error)) from None


def hooks_of(options: Namespace) -> dict[str, list[Json]]:
    """Return the hooks by event, for `settings.json` of Claude Code or `hooks.json` of Codex."""
    command, events = _command(options), _EVENTS[options.client]
    before: dict[str, Json] = {
        "type": "command",
        "command": command,
        # The hook answers by itself before its time is up.
        "timeout": int(options.wait) + _SPARE_SECONDS,
    }
    if options.client == "claude":
        # A hook that is missing, crashes or hangs refuses the call.
        before["onFailure"] = "block"
    after: dict[str, Json] = {"type": "command", "command": command, "timeout": _AFTER_SECONDS}
    return {
        "PreToolUse": [{"matcher": "*", "hooks": [before]}],
        **{event: [{"matcher": "*", "hooks": [after]}] for event in events},
    }


def connection_of(options: Namespace) -> list[str]:
    """Return the options that lead another process to the same guard."""
    names = ("client", "agent", "db", "by", "review_url", "server", "key_file")
    return _given(options, names)


def program() -> list[str]:
    """Return how this program is started, wherever the agent starts it from."""
    own = Path(sys.argv[0])
    if own.name == "assent" and own.is_file():
        return [str(own.absolute())]
    return [sys.executable, "-m", "assent.cli"]


def _command(options: Namespace) -> str:
    flags = [f"--{name.replace('_', '-')}" for name in _FLAGS if getattr(options, name)]
    values = _given(options, (*_VALUES, "key_file"))
    return shlex.join([*program(), "hook", "--wait", f"{options.wait:g}", *values, *flags])


def _given(options: Namespace, names: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for name in names:
        value: str | None = getattr(options, name)
        if value is not None:
            found += [f"--{name.replace('_', '-')}", _absolute(name, value)]
    return found


def _absolute(name: str, value: str) -> str:
    is_path = name in ("tools", "key_file") or (name == "db" and "://" not in value)
    return str(Path(value).absolute()) if is_path else value
