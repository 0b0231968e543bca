"""What pages load besides themselves: our own few files, served from memory."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from assent.domain.errors import NotFound

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file."""

    content: bytes
    media_type: str
    hash: str


class Assets:
    """All files of the `static` folder, by name."""

    def __init__(self) -> None:
        self._found: dict[str, Asset] = {}
        for file in files("assent.server.web").joinpath("static").iterdir():
            kind = file.name.rpartition(".")[2]
            if kind in _TYPES:
                content = file.read_bytes()
                digest = hashlib.sha256(content).hexdigest()[:12]
                self._found[file.name] = Asset(
                    content=content, media_type=_TYPES[kind], hash=digest
                )

    def address(self, name: str) -> str:
        """Where a page finds a file."""
        return f"/static/{name}?v={self._found[name].hash}"

    def get(self, name: str) -> Asset:
        """One file; `NotFound` if there is none of that name."""
        try:
            return self._found[name]
        except KeyError:
            raise NotFound("file", name) from None
