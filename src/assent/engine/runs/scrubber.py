"""Scrubbing: masks secrets in everything that leaves a tool: results, errors, progress and logs.

A value is found as it is and as JSON, repr, URL, HTML, hex and base64 write it, also inside longer
base64 (`user:password`). It is masked wherever it occurs, so a short secret masks much: too much
rather than too little. Not found: compressed, encrypted, reversed or line-wrapped copies, and a
single byte within longer base64. Scrub before cutting a text short: half a secret matches nothing.
"""

from __future__ import annotations

import base64
import html
import itertools
import json
import logging
import re
import threading
import traceback
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, assert_never, cast
from urllib.parse import quote, quote_plus

from assent.domain.canonical import Json

MASK: Final = "[secret]"
# A shorter line of a multi-line secret (`}`) says nothing, and would be masked everywhere.
_LINE_CHARS: Final = 4
# Fewer base64 characters than this would match in every other word.
_CORE_CHARS: Final = 2
# Quoting differs by the characters left alone: Python's two defaults, JavaScript's two, requests'.
_URL_SAFE: Final = ("", "/", "!*'()", "!*'();/?:@&=+$,#", "!#$%&'()*+,/:;=?@[]")
_HTML_QUOTES: Final = tuple(
    str.maketrans({'"': double, "'": single})
    for double, single in (
        ('"', "'"),
        ("&quot;", "'"),
        ("&quot;", "&#x27;"),
        ("&quot;", "&#39;"),
        ("&#34;", "&#39;"),
        ("&quot;", "&#039;"),
        ("&quot;", "&apos;"),
    )
)
# JSON inside a page's script: some encoders escape the single quote, too.
_SCRIPT_ESCAPES: Final = tuple(
    str.maketrans({char: f"\\u{ord(char):04x}" for char in chars}) for chars in ("<>&", "<>&'")
)
_RECORD_FIELDS: Final = frozenset(vars(logging.makeLogRecord({})))
# An escaped backslash comes first, so that what follows it is not taken for an escape.
_ESCAPE: Final = re.compile(r"\\\\|%[0-9A-F]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}")


class Needle(NamedTuple):
    """A text that reveals a secret, and how many characters beside it carry some of its bits."""

    text: str
    before: int = 0
    after: int = 0


class Scrubber:
    """Replaces every occurrence of some secrets by a mask; with no secrets, does nothing."""

    __slots__ = ("mask", "needles")

    def __init__(self, values: Iterable[str] = (), *, beside: Iterable[Scrubber] = ()) -> None:
        """Hide these values, and those of the scrubbers in `beside`, even where the two overlap."""
        own = (needle for value in values for needle in _needles(value))
        others = (needle for scrubber in beside for needle in scrubber.needles)
        self.needles: Final[tuple[Needle, ...]] = tuple(dict.fromkeys((*own, *others)))
        self.mask: Final[str] = _mask(self.needles)

    def __bool__(self) -> bool:
        return bool(self.needles)

    def text(self, text: str) -> str:
        """Return the text with each secret masked; the same object if there is none in it."""
        spans = self.spans(text) if self.needles else []
        if not spans:
            return text
        starts = (0, *(end for _, end in spans))
        ends = (*(start for start, _ in spans), len(text))
        return self.mask.join(text[start:end] for start, end in zip(starts, ends, strict=True))

    def json(self, value: Json) -> Json:
        """Return the value with secrets masked in strings, keys and numbers, at any depth."""
        if not self.needles:
            return value
        match value:
            case None | bool():
                return value
            case str():
                return self.text(value)
            case int() | float():
                # A tool may return a secret PIN as a number.
                return self.text(repr(value)) if self.spans(repr(value)) else value
            case list():
                return [self.json(item) for item in value]
            case dict():
                return self._object(value)
            case _:
                assert_never(value)

    def error(self, error: BaseException) -> str:
        """Return the message of an exception, masked; its class name if it has none."""
        # Not str(error): an exception's own __str__ may raise.
        said = str(traceback.TracebackException(type(error), error, None))
        return self.text(said or type(error).__name__)

    def stream(self) -> ScrubbedStream:
        """Return a scrubber for text that arrives in pieces."""
        return ScrubbedStream(self)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans to mask, separate and in order; the last may reach past the end."""
        found = (_merged(_occurrences(text, needle)) for needle in self.needles)
        return list(_merged(sorted(itertools.chain.from_iterable(found))))

    def settled(self, text: str) -> int:
        """Return how many characters are out of reach of a secret that later text may complete."""
        return max(0, min((_settled(text, needle) for needle in self.needles), default=len(text)))

    def _object(self, value: dict[str, Json]) -> dict[str, Json]:
        masked: dict[str, Json] = {}
        for key, item in value.items():
            name = self.text(key)
            # Two keys may become equal; a different mask keeps them apart and forms no secret.
            while name in masked:
                name += self.mask
            masked[name] = self.json(item)
        return masked


class ScrubbedStream:
    """Scrubs text that arrives in pieces, as if it had come whole.

    Only what may be the beginning of a secret is held back until more arrives, or `flush`.
    """

    __slots__ = ("_covered", "_held", "_open", "_scrubber")

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber
        self._reset()

    def feed(self, chunk: str) -> str:
        """Take in a piece; returns the text that can be shown by now, possibly nothing."""
        if not self._scrubber:
            return chunk
        self._held += chunk
        return self._release(self._scrubber.settled(self._held))

    def flush(self) -> str:
        """Return the text held back; the stream can be used again afterwards."""
        rest = self._release(len(self._held))
        self._reset()
        return rest

    def _release(self, cut: int) -> str:
        if cut == 0:
            return ""
        pieces: list[str] = []
        position = 0
        for start, end in self._spans():
            if start >= cut:
                break
            # A span at the very start continues a mask that was already returned.
            if start > 0 or not self._open:
                pieces += (self._held[position:start], self._scrubber.mask)
            position = end
        pieces.append(self._held[position:cut])
        self._open, self._covered = position >= cut, max(0, position - cut)
        self._held = self._held[cut:]
        return "".join(pieces)

    def _spans(self) -> Iterator[tuple[int, int]]:
        found = self._scrubber.spans(self._held)
        return _merged([(0, self._covered), *found] if self._covered else found)

    def _reset(self) -> None:
        self._held = ""
        self._open = False
        # How much of the held text lies under the last mask that was returned.
        self._covered = 0


class LogScrubber(logging.Filter):
    """A filter for log handlers that masks the secrets of the calls that run at the moment.

    While it hides something it is on every handler there is; a handler made later needs it added.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._active: list[Scrubber] = []
        self._union = Scrubber()
        self._joined: list[logging.Handler] = []

    @contextmanager
    def hiding(self, scrubber: Scrubber) -> Generator[None]:
        """Mask these secrets in every record of the process until the block ends."""
        # For the whole process and not per context: threads that a tool starts have no context.
        if not scrubber:
            yield
            return
        with self._lock:
            self._active.append(scrubber)
            self._union = Scrubber(beside=self._active)
            self._join()
        try:
            yield
        finally:
            with self._lock:
                self._active.remove(scrubber)
                self._union = Scrubber(beside=self._active)
                self._leave()

    def _join(self) -> None:
        # Handlers, not loggers: a logger's filters do not see its children's records.
        for handler in _handlers():
            if self not in handler.filters:
                handler.addFilter(self)
                self._joined.append(handler)

    def _leave(self) -> None:
        if not self._active:
            for handler in self._joined:
                handler.removeFilter(self)
            self._joined.clear()

    def filter(self, record: logging.LogRecord) -> bool:
        scrubber = self._union
        if scrubber:
            try:
                _scrub_record(record, scrubber)
            except Exception as error:  # noqa: BLE001  # what is logged may raise anything when shown
                _withhold(record, error)
        return True


def _handlers() -> list[logging.Handler]:
    """Return every handler of the process, also of loggers that do not propagate."""
    named = tuple(logging.root.manager.loggerDict.values())
    loggers = [logging.root, *(one for one in named if isinstance(one, logging.Logger))]
    found = [handler for logger in loggers for handler in logger.handlers]
    return found if logging.lastResort is None else [*found, logging.lastResort]


def _scrub_record(record: logging.LogRecord, scrubber: Scrubber) -> None:
    clean = scrubber.text(record.getMessage())
    for key in vars(record).keys() - _RECORD_FIELDS:
        setattr(record, key, _scrubbed(getattr(record, key), scrubber))
    if record.exc_info:
        # The text stays, the objects go: their frames hold the secret for tools that show locals.
        record.exc_text = record.exc_text or logging.Formatter().formatException(record.exc_info)
        record.exc_info = None
    record.exc_text = record.exc_text and scrubber.text(record.exc_text)
    record.stack_info = record.stack_info and scrubber.text(record.stack_info)
    # Formatters such as uvicorn's unpack the arguments: keep their shape if the message stays the
    # same.
    record.msg, record.args = (_scrubbed(part, scrubber) for part in (record.msg, record.args))
    if _message(record) != clean:
        record.msg, record.args = clean, None


def _message(record: logging.LogRecord) -> str | None:
    try:
        return record.getMessage()
    except (KeyError, TypeError, ValueError):
        return None


def _withhold(record: logging.LogRecord, error: Exception) -> None:
    for key in vars(record).keys() - _RECORD_FIELDS:
        delattr(record, key)
    record.msg = f"log record withheld: {type(error).__name__} while taking secrets out of it"
    record.args = record.exc_info = record.exc_text = record.stack_info = None


def _scrubbed(value: object, scrubber: Scrubber) -> Any:
    match value:
        case None | bool():
            return value
        case str() | int() | float():
            return scrubber.json(value)
        case tuple():
            return tuple(_scrubbed(item, scrubber) for item in cast("tuple[object, ...]", value))
        case list():
            return [_scrubbed(item, scrubber) for item in cast("list[object]", value)]
        case dict():
            items = cast("dict[object, object]", value).items()
            return {_scrubbed(key, scrubber): _scrubbed(item, scrubber) for key, item in items}
        case _:
            shown = str(value)
            return scrubber.text(shown) if scrubber.spans(f"{shown} {value!r}") else value


def _needles(value: str) -> Iterator[Needle]:
    for part in sorted({value, value.strip()} - {""}):
        yield from (Needle(text) for text in _spellings(part))
        data = part.encode("utf-8", "surrogatepass")
        yield from (Needle(data.hex()), Needle(data.hex().upper()))
        for lead, alphabet in itertools.product(range(3), (b"+/", b"-_")):
            yield from _base64_needles(data, lead, alphabet)
    # Tools print a key file line by line.
    for line in map(str.strip, value.splitlines()):
        if len(line) >= _LINE_CHARS:
            yield from (Needle(text) for text in _spellings(line))


def _spellings(text: str) -> Iterator[str]:
    # Escaped twice: JSON within JSON, an error's repr within a page.
    forms = set(_escaped(text)).union(*map(_escaped, _escaped(text)), _url_quoted(text))
    yield from sorted(forms | {_ESCAPE.sub(_other_case, form) for form in forms})


def _escaped(text: str) -> Iterator[str]:
    yield text
    for literal in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield from (literal, literal.replace("/", r"\/"))
        yield from (literal.translate(escapes) for escapes in _SCRIPT_ESCAPES)
    # A double quote in front makes repr escape single ones; it does so only if the whole has both.
    data = text.encode("utf-8", "surrogatepass")
    for shown in (repr('"' + text)[2:-1], ascii('"' + text)[2:-1], repr(b'"' + data)[3:-1]):
        yield from (shown, shown.replace(r"\'", "'"))
    page = html.escape(text, quote=False)
    yield from (page.translate(marks) for marks in _HTML_QUOTES)


def _url_quoted(text: str) -> Iterator[str]:
    for safe in _URL_SAFE:
        yield quote(text, safe=safe, errors="surrogatepass")
        yield quote_plus(text, safe=safe, errors="surrogatepass")


def _other_case(escape: re.Match[str]) -> str:
    return escape[0].lower() if escape[0].startswith("%") else escape[0][:2] + escape[0][2:].upper()


def _base64_needles(data: bytes, lead: int, alphabet: bytes) -> Iterator[Needle]:
    """Yield the fixed characters of base64 in which `lead` bytes of a group precede the data."""
    text = base64.b64encode(bytes(lead) + data, alphabet).decode()
    whole, shared = divmod((lead + len(data)) * 8, 6)
    start = (0, 2, 3)[lead]
    if whole - start >= _CORE_CHARS:
        yield Needle(text[start:whole], before=min(lead, 1), after=min(shared, 1))
        yield Needle(text[start:], before=min(lead, 1))
    elif not lead:
        yield Needle(text)


def _mask(needles: Iterable[Needle]) -> str:
    """Return a mask that neither holds a secret nor forms one with the text beside it."""
    texts = [needle.text for needle in needles]
    candidates = itertools.chain((MASK,), map(chr, itertools.count(0x2588)))
    return next(mask for mask in candidates if all(_apart(mask, text) for text in texts))


def _apart(mask: str, text: str) -> bool:
    heads = tuple(mask[:end] for end in range(1, len(mask) + 1))
    tails = tuple(mask[start:] for start in range(len(mask)))
    inside = text in mask or mask in text
    return not (inside or text.endswith(heads) or text.startswith(tails))


def _occurrences(text: str, needle: Needle) -> Iterator[tuple[int, int]]:
    # One character on, not one needle on: in "aaaaa" the secret "aaaa" occurs twice.
    at = text.find(needle.text)
    while at >= 0:
        yield max(0, at - needle.before), at + len(needle.text) + needle.after
        at = text.find(needle.text, at + 1)


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join sorted spans that overlap or touch."""
    current: tuple[int, int] | None = None
    for start, end in spans:
        if current is None:
            current = start, end
        elif start <= current[1]:
            current = current[0], max(current[1], end)
        else:
            yield current
            current = start, end
    if current is not None:
        yield current


def _settled(text: str, needle: Needle) -> int:
    """Return the earliest place where a needle may begin that later text completes."""
    first = needle.text[0]
    at = text.find(first, max(0, len(text) - len(needle.text) + 1))
    while at >= 0 and not needle.text.startswith(text[at:]):
        at = text.find(first, at + 1)
    return (len(text) if at < 0 else at) - needle.before
