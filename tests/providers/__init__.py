"""A loopback server that speaks the wire formats of model providers, for tests over real HTTP."""

from tests.providers.dialect import SeenRequest
from tests.providers.script import (
    CutOff,
    Fault,
    Hang,
    RawBody,
    Reply,
    Status,
    Step,
    StreamError,
    ToolUse,
    Unfinished,
)
from tests.providers.server import FakeProvider

__all__ = [
    "FakeProvider",
    "SeenRequest",
    "Reply",
    "ToolUse",
    "Step",
    "Fault",
    "Status",
    "RawBody",
    "CutOff",
    "Unfinished",
    "Hang",
    "StreamError",
]
