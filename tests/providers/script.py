"""What a fake provider answers, request by request: replies, and everything that goes wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool call in a reply: the provider's id, and the arguments as the model writes them."""

    tool: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole answer, sent at once or streamed in pieces of `fragment` characters.

    `finish` is the provider's own word for why it stopped; None picks the usual one.
    """

    text: str = ""
    reasoning: str = ""
    signature: str = "sig-of-the-reasoning"
    calls: tuple[ToolUse, ...] = ()
    finish: str | None = None
    input_tokens: int = 11
    output_tokens: int = 7
    fragment: int = 5

    def pieces(self, text: str) -> list[str]:
        """The text as it is streamed."""
        return [text[at : at + self.fragment] for at in range(0, len(text), self.fragment)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An HTTP error in the provider's own error format; `code` is its machine-readable name."""

    status: int
    message: str = "something went wrong"
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawBody:
    """Any bytes as the body of a 200: garbage, nothing at all, another content type."""

    body: bytes = b""
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """The connection breaks in the middle of a reply; streamed, after that many events."""

    reply: Reply
    after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """The answer ends cleanly but too early: no finish, half a document."""

    reply: Reply
    after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """Nothing more comes, until the client gives up; streamed, after that many events."""

    reply: Reply | None = None
    after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamError:
    """An error inside a stream that began well; not streamed, it is an HTTP 500."""

    reply: Reply
    message: str = "overloaded"
    after: int | None = None


Fault = Status | RawBody | CutOff | Unfinished | Hang | StreamError
Step = Reply | Fault
