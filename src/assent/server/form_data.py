"""The fields of a posted form."""

from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from assent.engine.threads import aside

MAX_FIELDS: Final = 500


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

    def one(self, name: str, default: str = "") -> str:
        """Return the last value of a name."""
        return next((value for key, value in reversed(self._pairs) if key == name), default)

    def all(self, name: str) -> list[str]:
        """Return every value of a name."""
        return [value for key, value in self._pairs if key == name]

    def names(self) -> frozenset[str]:
        """Return every name, once."""
        return frozenset(name for name, _ in self._pairs)

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self._pairs)


async def posted_of(request: Request) -> Posted:
    """Return the form in a request; a large one is parsed outside the event loop."""
    content = await request.body()
    return await aside(len(content), Posted, content)
