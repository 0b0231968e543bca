"""Faults of the wire, passed through the SDK as errors that no server can forge."""

import secrets
from enum import IntEnum
from typing import Any, Final, cast

from mcp import MCPError
from mcp_types import (
    ElicitationRequiredErrorData,
    ElicitRequest,
    ErrorData,
    InputRequests,
    InputRequiredResult,
    JSONRPCError,
)
from pydantic import ValidationError

# Only this process knows it, so an error that carries it was made here.
_MARK: Final = secrets.token_hex(16)


class Fault(IntEnum):
    """How an exchange ended without an answer."""

    # The request did not reach the server, or was refused before it was looked at.
    NEVER_SENT = -39001
    # It was sent, and what became of it is unknown.
    UNANSWERED = -39002
    # It was answered, and the answer is too large or no message.
    UNKEPT = -39003


def fault_error(fault: Fault, message: str) -> ErrorData:
    """Return a fault as the error of a request."""
    return ErrorData(code=int(fault), message=message, data={"mark": _MARK})


def fault_answer(request_id: str | int, fault: Fault, message: str) -> JSONRPCError:
    """Return a fault as the answer to a request."""
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=fault_error(fault, message))


def fault_of(error: ErrorData) -> Fault | None:
    """Return the fault that an error stands for; None if it is the server's own answer."""
    data: Any = error.data
    if not isinstance(data, dict) or data.get("mark") != _MARK:  # pyright: ignore[reportUnknownMemberType]
        return None
    return Fault(error.code)


def urls_wanted(error: MCPError) -> InputRequiredResult | None:
    """Return the addresses that people have to visit before a call, as questions."""
    try:
        data = ElicitationRequiredErrorData.model_validate(error.data)
    except ValidationError:
        return None
    if not data.elicitations:
        return None
    wanted = {str(i): ElicitRequest(params=each) for i, each in enumerate(data.elicitations)}
    return InputRequiredResult(input_requests=cast("InputRequests", wanted))


def in_words(error: BaseException) -> str:
    """Return the first cause of an error in a few words."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, FileNotFoundError):
        return f"there is no command {error.filename!r}"
    return str(error) or type(error).__name__


def first_flaw(error: ValidationError) -> str:
    """Return where a message does not follow the protocol, without repeating what it said."""
    item = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, item['loc']))}: {item['msg']}"
