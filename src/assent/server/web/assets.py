"""The static files that pages load: a few of our own, served from memory."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from assent.errors import NotFound

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One static file."""

    name: str
    content: bytes
    media_type: str
    hash: str


class Assets:
    """All files of the `static` folder, by name; `version` is one hash over all of them."""

    def __init__(self) -> None:
        self._found: dict[str, Asset] = {}
        for file in files("assent.server.web").joinpath("static").iterdir():
            kind = file.name.rpartition(".")[2]
            if kind in _TYPES:
                content = file.read_bytes()
                digest = hashlib.sha256(content).hexdigest()[:12]
                self._found[file.name] = Asset(
                    name=file.name, content=content, media_type=_TYPES[kind], hash=digest
                )
        hashes = sorted(f"{name} {asset.hash}" for name, asset in self._found.items())
        self.version = hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:12]

    def address(self, name: str) -> str:
        """Return the address of a file.

        The version is a folder, so that modules find each other by plain names in the same one.
        """
        return f"/static/{self.version}/{self._found[name].name}"

    def get(self, name: str) -> Asset:
        """Return one file; raises `NotFound` if there is none of that name."""
        try:
            return self._found[name]
        except KeyError:
            raise NotFound("file", name) from None
