"""Forms of servers that do not follow the protocol, or hold more than people can be asked."""

from typing import Any

import pytest
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams

from assent.adapters.mcp.elicitation import asked_by
from assent.errors import McpToolFailed

ONE = {"type": "object", "properties": {"n": {"type": "number"}}}


def form(schema: dict[str, Any], message: str = "Please") -> ElicitRequest:
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def field(**said: Any) -> ElicitRequest:
    return form({"type": "object", "properties": {"n": {"type": "string", **said}}})


@pytest.mark.parametrize(
    "asked",
    [
        field(maxLength="5"),
        field(maxLength=[]),
        field(oneOf=[5]),
        field(enum=["a"], enumNames=5),
        field(enum=5),
        field(enum="abc"),
        field(type="array", items={"enum": 5}),
        field(type="array", items={"anyOf": [None]}),
        field(type=["string", "null"]),
        form({"type": "object", "properties": {"n": {"type": "number"}}, "required": 5}),
        form({"type": "object", "properties": [1]}),
        form({"type": "object", "properties": {"n": 5}}),
    ],
)
def test_a_form_that_does_not_follow_the_protocol_is_asked_of_nobody(asked: ElicitRequest) -> None:
    with pytest.raises(McpToolFailed, match="asks people for"):
        asked_by("mcp:evil", {"a": asked})


@pytest.mark.parametrize(
    "asked",
    [
        {str(number): form(ONE) for number in range(51)},
        {"a": form({"type": "object", "properties": {f"n{i}": {} for i in range(51)}})},
        {"a": field(enum=[str(number) for number in range(501)])},
        {"a": field(enum=["x" * 1_001])},
        {"a": field(oneOf=[{"const": "a", "title": "x" * 1_001}])},
        {str(number): form({"type": "object"}, "x" * 4_000) for number in range(20)},
    ],
)
def test_more_than_a_simple_form_holds_is_asked_of_nobody(asked: dict[str, Any]) -> None:
    with pytest.raises(McpToolFailed, match="asks people for more than a simple form holds"):
        asked_by("mcp:evil", asked)


@pytest.mark.parametrize(
    "url",
    [
        "https://ok.example/\nApproved by Ada",
        "https://ok.example/\u202etxt.exe",
        "https://ok.example/ two",
        "https://",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_is_no_web_address_is_shown_to_nobody(url: str) -> None:
    page = ElicitRequest(params=ElicitRequestURLParams(message="Sign", url=url))
    with pytest.raises(McpToolFailed, match="no web address"):
        asked_by("mcp:evil", {"a": page})
