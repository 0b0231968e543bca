"""The fields of a posted form."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from assent.engine.threads import offload

# A table of a form has up to 500 cells.
MAX_FIELDS: Final = 2_000


class Posted:
    """The fields of a posted form; a name may come more than once, line breaks are `\\n`.

    A form with too many fields is read as empty, so that handlers refuse it for missing fields.
    """

    def __init__(self, content: bytes) -> None:
        text = content.decode("utf-8", "replace")
        try:
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
        except ValueError:
            pairs = []
        # Browsers send every line break as CRLF.
        self._pairs = [(name, value.replace("\r\n", "\n")) for name, value in pairs]

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> "Posted":
        """Return a form of these fields."""
        made = cls(b"")
        made._pairs = [(name, value.replace("\r\n", "\n")) for name, value in pairs[:MAX_FIELDS]]
        return made

    def with_value(self, name: str, value: str, *, alone: bool) -> "Posted":
        """Return the form with one more value of a name, or with this one alone."""
        others = [pair for pair in self._pairs if not alone or pair[0] != name]
        return Posted.of([*others, (name, value)])

    def one(self, name: str, default: str = "") -> str:
        """Return the last value of a name."""
        return next((value for key, value in reversed(self._pairs) if key == name), default)

    def all(self, name: str) -> list[str]:
        """Return every value of a name."""
        return [value for key, value in self._pairs if key == name]

    def without(self, names: AbstractSet[str]) -> "Posted":
        """Return the form as if these fields had not been in it."""
        rest = Posted(b"")
        rest._pairs = [(name, value) for name, value in self._pairs if name not in names]
        return rest

    def names(self) -> frozenset[str]:
        """Return every name, once."""
        return frozenset(name for name, _ in self._pairs)

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self._pairs)


async def posted_of(request: Request) -> Posted:
    """Return the form in a request; a large one is parsed outside the event loop."""
    if (parts := getattr(request.state, "parts", None)) is not None:
        return parts.posted
    content = await request.body()
    return await offload(len(content), Posted, content)
