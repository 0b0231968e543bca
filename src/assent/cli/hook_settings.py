"""The settings that make a coding agent run the hook."""

import json
import shlex
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any, Final

_SPARE_SECONDS: Final = 60
_AFTER_SECONDS: Final = 60
_EVENTS: Final = {
    "claude": ("PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"),
    "codex": ("PostToolUse", "Stop"),
}
_VALUES: Final = ("client", "undecided", "tools", "agent", "db", "by", "review_url", "server")
_FLAGS: Final = ("only_gate", "skip_safe")


def settings_of(options: Namespace) -> str:
    """Return the hooks as JSON, for `settings.json` of Claude Code or `hooks.json` of Codex."""
    command, events = _command(options), _EVENTS[options.client]
    before: dict[str, Any] = {
        "type": "command",
        "command": command,
        # The hook answers by itself before its time is up.
        "timeout": int(options.wait) + _SPARE_SECONDS,
    }
    if options.client == "claude":
        # A hook that is missing, crashes or hangs refuses the call.
        before["onFailure"] = "block"
    after = {"type": "command", "command": command, "timeout": _AFTER_SECONDS}
    hooks = {
        "PreToolUse": [{"matcher": "*", "hooks": [before]}],
        **{event: [{"matcher": "*", "hooks": [after]}] for event in events},
    }
    return json.dumps({"hooks": hooks}, indent=2)


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
