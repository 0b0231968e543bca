"""A real `assent demo` or `assent serve` process that a test talks to over HTTP."""

import contextlib
import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.cli.sessions import SECONDS, Session, piped

_ORIGIN = re.compile(r"https?://[^\s,]+")


class Served:
    """A server that is ready, and clients that carry a key."""

    def __init__(self, session: Session, said: str) -> None:
        self.session = session
        self.said = said
        found = _ORIGIN.search(said)
        assert found is not None, said
        self.origin = found[0]

    def link(self, name: str) -> str:
        """The sign-in link that was printed for an account."""
        [line] = [line for line in self.said.splitlines() if line.strip().startswith(f"{name} ")]
        return line.split()[1]

    @contextlib.contextmanager
    def client(self, key: str | None) -> Iterator[httpx.Client]:
        """Speaks with this key, or as nobody."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        with httpx.Client(
            base_url=self.origin, headers=headers, timeout=SECONDS, trust_env=False
        ) as client:
            yield client

    def stop(self, how: signal.Signals = signal.SIGTERM) -> str:
        """Ask it to end, and wait; what it said about that."""
        self.session.process.send_signal(how)
        return self.session.leave()


@contextlib.contextmanager
def served(*arguments: str, handles: int | None = None) -> Iterator[Served]:
    """A server on a free port, until the test is over."""
    with piped(*arguments, "--port", "0", handles=handles) as session:
        said = session.expect("Ctrl-C stops it")
        yield Served(session, said)


def keys_in(folder: Path) -> dict[str, str]:
    """The keys that the demo wrote down."""
    return json.loads((folder / "demo-keys.json").read_text())
