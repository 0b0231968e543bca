"""Nobody forges a log line, and no log holds a credential."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from assent import Person
from assent.server.logs import LineFormatter, log_config, safe, write_lines
from tests.server.conftest import Serve

FORGED = "2026-01-01 00:00:00 INFO assent: root signed in"
CORPUS = {
    "line feed": f"x\n{FORGED}",
    "carriage return": f"x\r{FORGED}",
    "both": f"x\r\n{FORGED}",
    "vertical tab": f"x\x0b{FORGED}",
    "form feed": f"x\x0c{FORGED}",
    "next line": f"x\x85{FORGED}",
    "line separator": f"x\u2028{FORGED}",
    "paragraph separator": f"x\u2029{FORGED}",
    "file separators": "x\x1c\x1d\x1e",
    "colour": "\x1b[31mred\x1b[0m",
    "clear the screen": "\x1b[2J\x1b[H",
    "one byte of it": "\x9b31m",
    "title of the window": "\x1b]0;title\x07",
    "backspaces": "x\b\b\b\broot",
    "nothing": "x\x00y",
    "turned around": "\u202etxt.exe",
    "isolated": "\u2067x\u2069",
    "invisible": "ro\u200bot",
    "tags": "x\U000e0041",
    "half a pair": "x\ud800",
    "percent": "%s %(name)s %n",
}
FORMAT = "%(levelname)s %(name)s: %(message)s"


@contextmanager
def logging_to(name: str) -> Iterator[tuple[logging.Logger, io.StringIO]]:
    stream, logger = io.StringIO(), logging.getLogger(name)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter(FORMAT))
    logger.addHandler(handler)
    level, propagates = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    # Kept from pytest's own capture, which sends what it has between processes as UTF-8.
    logger.propagate = False
    try:
        yield logger, stream
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagates


def is_plain(text: str) -> bool:
    return all(char.isprintable() for char in text)


# requirement: S11
@pytest.mark.parametrize("case", CORPUS)
def test_one_record_is_one_line_without_anything_a_terminal_obeys(case: str) -> None:
    with logging_to("assent.test") as (logger, stream):
        logger.warning("%s failed", CORPUS[case])
    text = stream.getvalue()
    assert text.endswith("\n")
    assert is_plain(text[:-1])
    assert len(text.splitlines()) == 1


# requirement: S11
@pytest.mark.parametrize("case", CORPUS)
def test_an_exceptions_text_cannot_begin_a_line(case: str) -> None:
    with logging_to("assent.test") as (logger, stream):
        try:
            raise ValueError(CORPUS[case])
        except ValueError:
            logger.exception("it failed")
    first, *rest = stream.getvalue().split("\n")
    assert first == "ERROR assent.test: it failed"
    assert all(line.startswith("    | ") and is_plain(line) for line in rest if line)


def test_a_text_that_another_formatter_left_behind_is_not_used() -> None:
    record = logging.makeLogRecord({"msg": "m", "exc_text": f"x\n{FORGED}", "levelname": "INFO"})
    assert LineFormatter("%(message)s").format(record) == "m"


# requirement: S3
@pytest.mark.parametrize(
    "text",
    [
        "assent_0123456789ab_" + "f" * 40,
        "GET /sign-in/link/link_18e85da01f85e3014cec653e8f923c16." + "S" * 43,
        "Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJTRUNSRVQifQ." + "S" * 40,
        "GET /sign-in/openid/corp/callback?code=SSSSSSSS&state=SSSSSS HTTP/1.1",
    ],
)
def test_a_log_line_holds_no_credential(text: str) -> None:
    line = safe(text)
    assert "…" in line
    assert "SSSS" not in line
    assert "ffff" not in line


# requirement: S11
async def test_what_a_client_sends_cannot_forge_a_line_of_the_access_log(serve: Serve) -> None:
    async with serve([]) as served:
        with logging_to("uvicorn.access") as (_, stream), logging_to("assent") as (_, ours):
            client = served.client(None)
            for path in ("/%0a" + FORGED.replace(" ", "%20"), "/%1b%5b31m", "/a%0d%0ab?x=%0a"):
                await client.get(path)
            await client.get("/", headers=httpx.Headers([("user-agent", "x\ty")]))
            _, token = await served.assent.people.links.to_sign_in(
                "user", by=Person("root", roles=frozenset({"admin"}))
            )
            await client.get(f"/sign-in/link/{token}")
        text = stream.getvalue() + ours.getvalue()
        assert "/sign-in/link/link_" in text
        assert token.partition(".")[2] not in text
        for line in text.split("\n"):
            assert is_plain(line)
            assert not line or line.startswith(("INFO uvicorn.access: ", "WARNING "))


def test_the_root_loggers_handlers_keep_their_format() -> None:
    root, stream = logging.getLogger(), io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("<%(levelname)s> %(message)s"))
    before = list(root.handlers)
    root.handlers = [handler]
    try:
        write_lines()
        logging.getLogger("somebody").warning("a\nb")
    finally:
        root.handlers = before
    assert stream.getvalue() == "<WARNING> a\\x0ab\n"


def test_the_configuration_for_uvicorn_uses_the_formatter() -> None:
    config = log_config("WARNING")
    assert config["formatters"]["line"]["()"] == "assent.server.logs.LineFormatter"
    assert set(config["loggers"]) >= {"assent", "uvicorn.access", "uvicorn.error"}
