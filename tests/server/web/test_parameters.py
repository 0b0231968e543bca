"""A tool's arguments as people read them, also where its schema means harm."""

import time
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from assent import Field, UserInput, tool
from assent.domain.declarations import declared
from assent.domain.tools import Manual, Tool
from assent.server.web.admin.parameters import MAX_ROWS, Parameter, parameters_of


class Address(BaseModel):
    street: str
    lines: list[int] = []


class Codec:
    """A schema as a server far away might send it."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.full = self.visible = schema

    def normalise(self, raw: Any, *, partial: bool) -> Any:
        return raw

    def bind(self, arguments: Any) -> Any:
        return arguments


def far(schema: dict[str, Any]) -> Tool:
    return Tool(name="far", description="", kind=Manual(), arguments=Codec(schema))


def rows(schema: dict[str, Any]) -> dict[str, Parameter]:
    return {row.path: row for row in parameters_of(far(schema))}


def test_types_defaults_limits_and_nesting_are_in_words() -> None:
    @tool(user_input=UserInput("Where?", fields=[Field("host")]))
    async def send(
        to: list[str], host: str, mode: Literal["a", "b"] = "a", at: Address | None = None
    ) -> str:
        """Send."""
        return "sent"

    found = {row.path: row for row in parameters_of(declared(send))}
    assert found["to"].type == "list of text"
    assert (found["to"].required, found["mode"].required) == (True, False)
    assert (found["mode"].type, found["mode"].default) == ('one of "a", "b"', '"a"')
    assert found["at"].type == "object or nothing"
    assert [path for path, row in found.items() if row.by_person] == ["host"]
    nested = rows(
        {
            "properties": {"at": {"$ref": "#/$defs/At"}, "n": {"type": "integer", "minimum": 1}},
            "$defs": {"At": {"type": "object", "properties": {"street": {"type": "string"}}}},
        }
    )
    assert nested["at.street"].depth == 1
    assert nested["n"].limits == ("at least 1",)


SELF: dict[str, Any] = {"properties": {"x": {"$ref": "#"}}}
CHOICES: dict[str, Any] = {
    "properties": {"x": {"$ref": "#/$defs/c"}},
    "$defs": {"c": {"anyOf": [{"$ref": "#/$defs/c"}] * 50}},
}
WIDE: dict[str, Any] = {"properties": {f"p{n}": {"enum": [*range(5_000)]} for n in range(500)}}
ODD: dict[str, Any] = {
    "properties": {"a": True, "b": {"$ref": "#/nowhere"}, "c": {"type": [[]]}, "d": {"items": 3}},
    "required": "a",
}
LOOP: dict[str, Any] = {
    "properties": {"x": {"$ref": "#/$defs/a"}},
    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
}


# requirement: V2
@pytest.mark.parametrize("schema", [SELF, CHOICES, WIDE, ODD, LOOP, {}, {"properties": 3}])
def test_a_schema_that_means_harm_costs_little_and_breaks_nothing(schema: dict[str, Any]) -> None:
    made, begun = far(schema), time.process_time()
    found = parameters_of(made)
    assert time.process_time() - begun < 0.5
    assert len(found) <= MAX_ROWS
    assert all(len(row.type) < 2_000 for row in found)
