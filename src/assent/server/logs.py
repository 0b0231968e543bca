"""Log formatting that prevents forged lines: one record is one line, without credentials."""

import copy
import logging
import re
from typing import Any, Final

# Characters that move a cursor, end a line or reverse text in some terminal or log viewer.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_CREDENTIAL: Final = re.compile(
    r"(assent_[0-9a-f]{12}_)[0-9a-f]{40}"
    r"|(link_[A-Za-z0-9]{1,64}\.)[A-Za-z0-9_-]{43}"
    r"|(eyJ[A-Za-z0-9_-]{5,}\.)[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"
    r"|([?&](?:code|state)=)[^\s&\"]+"
)
# Put before every line of a traceback: an exception's text may contain line breaks.
_GUTTER: Final = "    | "


def safe(text: str) -> str:
    """Return a text on one line, without terminal controls and without credentials."""
    return _UNSAFE.sub(_spelt, hidden(text))


def hidden(text: str) -> str:
    """Return a text without the secret part of keys, links and tokens."""
    return _CREDENTIAL.sub(lambda found: f"{found[found.lastindex or 0]}…", text)


class LineFormatter(logging.Formatter):
    """Formats a record so that nothing in it can pass for another record."""

    def format(self, record: logging.LogRecord) -> str:
        # Another formatter may have cached its own text of the exception in the record.
        own = copy.copy(record)
        own.exc_text = None
        return super().format(own)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        return safe(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's own name
        return _indented(super().formatStack(stack_info))


def log_config(level: str = "INFO") -> dict[str, Any]:
    """Return a `log_config` for uvicorn or `dictConfig` that covers our loggers and uvicorn's."""
    names = ("assent", "uvicorn", "uvicorn.access", "uvicorn.error")
    one = {"handlers": ["stderr"], "level": level, "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "assent.server.logs.LineFormatter",
                "fmt": "%(asctime)s %(levelname)s %(name)s: %(message)s",
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": dict.fromkeys(names, one),
    }


def write_lines() -> None:
    """Make the root logger's handlers write safe lines, each in the format it has."""
    for handler in logging.getLogger().handlers:
        kept = handler.formatter
        shape = "%(message)s" if kept is None else getattr(kept, "_fmt", None)
        handler.setFormatter(LineFormatter(shape, None if kept is None else kept.datefmt))


def _indented(text: str) -> str:
    return "\n".join(_GUTTER + safe(line) for line in text.split("\n"))


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
