"""The results of calls for people; what agents are told about them is worded for agents."""

from dataclasses import dataclass
from typing import Final

from assent.domain.calls import Call
from assent.domain.canonical import Json, parse
from assent.domain.lifecycle import CallStatus
from assent.engine.settings import Texts
from assent.errors import InvalidJson

# Final statuses caused by people or deadlines: the status label says which.
_UNDONE: Final = frozenset(
    {CallStatus.REJECTED, CallStatus.EXPIRED, CallStatus.CANCELLED, CallStatus.SUPERSEDED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The result of a call: an output, or why there is none."""

    output: Json = None
    has_output: bool = False
    # What went wrong.
    error: str = ""
    # The reason of the person who rejected or cancelled it.
    reason: str = ""


def end_of(call: Call, texts: Texts) -> End:
    """Return the result of a call; empty if it has not ended."""
    if call.output is None:
        return End()
    output = _parsed(call.output)
    said = _error(call, output)
    if said and call.status in _UNDONE:
        return End(reason=_reason(said, texts))
    return End(error=said) if said else End(output=output, has_output=True)


def _parsed(text: str) -> Json:
    try:
        return parse(text)
    except InvalidJson:
        return text


def _error(call: Call, output: Json) -> str:
    """Return the error if the output consists of nothing else, otherwise an empty text."""
    if call.failed and isinstance(output, dict) and list(output) == ["error"]:
        return str(output["error"])
    return ""


def _reason(said: str, texts: Texts) -> str:
    """Return the person's own words from what the agent was told; empty if there are only ours."""
    ours = (
        f"{texts.rejected} {texts.rejected_hint}",
        *(texts.expired, texts.cancelled, texts.superseded, texts.aborted),
    )
    before, _, after = texts.feedback.partition("{feedback}")
    is_feedback = said.startswith(before) and said.endswith(after)
    return (
        "" if said in ours else said[len(before) : len(said) - len(after)] if is_feedback else said
    )
