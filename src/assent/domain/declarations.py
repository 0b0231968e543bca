"""Declaring tools: a decorator for typed functions, functions for other kinds, and a class form."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from types import FunctionType
from typing import Any, ClassVar, Final, cast, overload

from assent.domain import parameters
from assent.domain.arguments import (
    SchemaArguments,
    SchemaOutput,
    TypedArguments,
    TypedOutput,
    description_of,
    signature_fields,
)
from assent.domain.author_functions import call_to_end
from assent.domain.bodies import Body, External, Generator, Regular, Steps
from assent.domain.canonical import Json
from assent.domain.forms import UserInput
from assent.domain.metadata import METADATA, DeclaredMetadata, assemble
from assent.domain.parameters import Check, optional
from assent.domain.tools import (
    ArgumentsCodec,
    Context,
    Hitl,
    Kind,
    Manual,
    OutputCodec,
    Tool,
    want_name,
    words_of,
)
from assent.errors import InvalidParameter, InvalidTool

# The source of a tool whose caller names none. Any source but "local" is a stranger's: such a tool
# is of moderate risk and asks, unless its definition says otherwise.
CALLER: Final = "caller"
_ANY_OBJECT: Final[Mapping[str, Json]] = {"type": "object"}
_UNFIT: Final = parameters.unfit()


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, output: Any = None, **said: Any
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    output: Any = None,
    **said: Any,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a typed function: its schema from the hints, its texts from the docstring.

    An async generator function becomes a generator tool. Every field of `Metadata` may be passed.
    """

    def declare(body: Callable[..., Any]) -> Tool:
        label = _named(body, name)
        metadata = DeclaredMetadata.of(label, said)
        fields, context = signature_fields(body)
        codec = TypedArguments(label, fields, metadata.values.user_input)
        shape = _output(label, output)
        text = description_of(body) if description is None else description
        return assemble(
            label, text, _runnable(body, context), arguments=codec, output=shape, metadata=metadata
        )

    return declare if function is None else declare(function)


def hitl(
    name: str,
    *,
    output: Any,
    on_tool_called: Callable[..., Any],
    on_response_received: Callable[..., Any] | None = None,
    description: str | None = None,
    **said: Any,
) -> Tool:
    """Make a tool whose hook answers or, by returning None, leaves the call to a person."""
    metadata = DeclaredMetadata.of(_name(name), said)
    _FUNCTION.taken(f"Tool {name!r}", "on_tool_called", on_tool_called)
    _RECEIVER.taken(f"Tool {name!r}", "on_response_received", on_response_received)
    fields, context = signature_fields(on_tool_called)
    kind = Hitl(
        on_tool_called=_body(on_tool_called, context),
        on_response_received=None if on_response_received is None else _hook(on_response_received),
    )
    text = description_of(on_tool_called) if description is None else description
    codec = TypedArguments(name, fields, metadata.values.user_input)
    shape = _output(name, output)
    return assemble(name, text, kind, arguments=codec, output=shape, metadata=metadata)


def manual(
    name: str,
    *,
    description: str,
    parameters: Any = None,
    output: Any = None,
    **said: Any,
) -> Tool:
    """Make a tool that is not run here: the caller supplies its output.

    `parameters` is a function or class whose signature says them, or a JSON schema.
    """
    metadata = DeclaredMetadata.of(_name(name), said)
    codec = _parameters(name, parameters, metadata.values.user_input)
    shape = _output(name, output)
    return assemble(name, description, Manual(), arguments=codec, output=shape, metadata=metadata)


def schema_tool(
    name: str,
    *,
    description: str,
    parameters: dict[str, Json],
    execute: Callable[[Context, dict[str, Json]], object],
    output: dict[str, Json] | None = None,
    **said: Any,
) -> Tool:
    """Make a tool whose parameters are a given JSON schema."""
    metadata = DeclaredMetadata.of(_name(name), said)
    where = f"Tool {name!r}"
    schema = _SCHEMA.taken(where, "parameters", parameters)
    run = _EXECUTE.taken(where, "execute", execute)
    codec = SchemaArguments(name, schema, metadata.values.user_input)
    shape = _output(name, optional(_SCHEMA).taken(where, "output", output))
    kind = Regular(body=partial(call_to_end, run))
    return assemble(name, description, kind, arguments=codec, output=shape, metadata=metadata)


def external(
    name: str,
    *,
    description: str = "",
    parameters: Mapping[str, Json] = _ANY_OBJECT,
    output: Mapping[str, Json] | None = None,
    **said: Any,
) -> Tool:
    """Make a tool that whoever calls it also runs; `parameters` is its JSON schema.

    Every field of `Metadata` may be passed. Undeclared, it is of moderate risk and asks.
    """
    metadata = DeclaredMetadata.of(_name(name), {"source": CALLER, **said})
    where = f"Tool {name!r}"
    schema = _SCHEMA.taken(where, "parameters", parameters)
    codec = SchemaArguments(name, schema, metadata.values.user_input)
    shape = _output(name, optional(_SCHEMA).taken(where, "output", output))
    return assemble(name, description, External(), arguments=codec, output=shape, metadata=metadata)


def _schema(given: object) -> object:
    return dict(cast("Mapping[str, Json]", given)) if isinstance(given, Mapping) else _UNFIT


_SCHEMA: Final = Check("a JSON schema (a dict)", _schema)
_FUNCTION: Final = parameters.function
_RECEIVER: Final = optional(
    parameters.function_of(2, "a function of (answer, context) or of the answer", least=1)
)
_EXECUTE: Final = parameters.of_two("a function of (context, arguments)", alone=False)
_NAMELESS: Final = "a function with a name, or one beside `name=…`"


def _name(given: object) -> str:
    name = parameters.name.taken("Tool", "name", given)
    # Checked before a class is made with this name: not every name can be that of a class.
    want_name(name)
    return name


def _named(body: object, name: str | None) -> str:
    """Return a tool's name: the given one, or that of its function."""
    if isinstance(body, type) or not callable(body):
        raise InvalidParameter("tool", "function", "a function", parameters.shown(body))
    if isinstance(body, partial):
        # The arguments it fixes would still be parameters, which the model could set.
        raise InvalidParameter("tool", "function", "a plain function", "a functools.partial")
    if name is not None:
        return _name(name)
    own = getattr(body, "__name__", "<object>")
    if own.startswith("<"):
        raise InvalidParameter("tool", "function", _NAMELESS, parameters.shown(body))
    return _name(own)


def _output(name: str, output: Any) -> OutputCodec | None:
    if output is None:
        return None
    if isinstance(output, str | FunctionType):
        allowed = "a type or a JSON schema"
        raise InvalidParameter(f"Tool {name!r}", "output", allowed, parameters.shown(output))
    return (
        SchemaOutput(name, cast("dict[str, Json]", output))
        if isinstance(output, dict)
        else TypedOutput(name, output)
    )


def _parameters(name: str, given: Any, user_input: UserInput | None) -> ArgumentsCodec:
    if isinstance(given, dict):
        return SchemaArguments(name, cast("dict[str, Json]", given), user_input)
    if given is None:
        return TypedArguments(name, {}, user_input)
    if not callable(given):
        allowed = "a function or class whose signature says them, or a JSON schema"
        raise InvalidParameter(f"Tool {name!r}", "parameters", allowed, parameters.shown(given))
    return TypedArguments(name, signature_fields(given)[0], user_input)


def _runnable(function: Callable[..., Any], context: str | None) -> Kind:
    if inspect.isasyncgenfunction(function):
        return Generator(steps=_steps(function, context))
    if inspect.isgeneratorfunction(function):
        raise InvalidTool(function.__name__, "it is a generator; write it with 'async def'")
    return Regular(body=_body(function, context))


def _steps(function: Callable[..., AsyncIterator[object]], context: str | None) -> Steps:
    def steps(ctx: Context, bound: dict[str, Any]) -> AsyncIterator[object]:
        return function(**bound, **({context: ctx} if context else {}))

    return steps


def _body(function: Callable[..., Any], context: str | None) -> Body:
    async def body(ctx: Context, bound: dict[str, Any]) -> object:
        return await call_to_end(function, **bound, **({context: ctx} if context else {}))

    return body


def _hook(function: Callable[..., Any]) -> Callable[[Context, Json], Awaitable[object]]:
    count = parameters.positionals(function)
    takes_context = isinstance(count, int) and count > 1

    async def hook(ctx: Context, value: Json) -> object:
        return await call_to_end(function, value, *((ctx,) if takes_context else ()))

    return hook


class BaseTool:
    """The class form of a tool: set `name`, `description`, any metadata, and write `execute`.

    With `on_tool_called` and `output` it is a HITL tool; with neither, a manual one.
    """

    name: ClassVar[str] = ""
    description: ClassVar[str] = ""
    output: ClassVar[Any] = None
    parameters: ClassVar[Any] = None

    @classmethod
    def declaration(cls) -> Tool:
        """Return the tool that this class declares."""
        return _declared(_instance(cls))


_BODIES: Final = ("execute", "on_tool_called", "on_response_received")
_ATTRIBUTES: Final = (*METADATA, "name", "description", "output", "parameters", *_BODIES)
# Two names that are this similar are taken for one name and a typing error.
_SLIP: Final = 0.85
# An attribute with one of these words in its name is refused: ignored, a tool would run unasked.
_ASKING: Final = {
    "risk": "risk",
    "approval": "requires_approval",
    "confirm": "requires_approval",
    "confirmation": "requires_approval",
}


def _instance(cls: type[BaseTool]) -> BaseTool:
    if cls is BaseTool:
        raise InvalidTool("BaseTool", "it is only a base class; derive a class from it")
    try:
        return cls()
    except TypeError as error:
        raise InvalidTool(
            cls.__name__, f"its class cannot be created without arguments: {error}"
        ) from None


def _declared(instance: BaseTool) -> Tool:
    cls = type(instance)
    name = _said(instance, "name", cls.__name__)
    _refuse_slips(name, instance)
    _refuse_idle(name, instance)
    said = {each: _own(instance, each) for each in METADATA if hasattr(instance, each)}
    text = _said(instance, "description", inspect.getdoc(cls) or "")
    output = _own(instance, "output")
    execute = getattr(instance, "execute", None)
    hook = getattr(instance, "on_tool_called", None)
    if hook is not None:
        if execute is not None:
            raise InvalidTool(name, "it has both execute and on_tool_called; choose one")
        if output is None:
            raise InvalidTool(name, "a HITL tool needs an output type (output schema)")
        received = getattr(instance, "on_response_received", None)
        return hitl(
            name,
            output=output,
            on_tool_called=hook,
            on_response_received=received,
            description=text,
            **said,
        )
    if execute is None:
        shape = _own(instance, "parameters")
        return manual(name, description=text, parameters=shape, output=output, **said)
    return tool(name=name, description=text, output=output, **said)(execute)


def _said(instance: BaseTool, attribute: str, otherwise: str) -> Any:
    """Return a text of the class, or the other one if it is None or empty; it is checked later."""
    own = _own(instance, attribute)
    return otherwise if own is None or own == "" else own


def _own(instance: BaseTool, attribute: str) -> Any:
    """Return an attribute; a function that does not take `self` is returned unbound."""
    raw = inspect.getattr_static(instance, attribute, None)
    if (
        isinstance(raw, FunctionType)
        and next(iter(inspect.signature(raw).parameters), "") != "self"
    ):
        return raw
    return getattr(instance, attribute, None)


def _refuse_slips(name: str, instance: BaseTool) -> None:
    """Raise for an attribute that is nearly a known one: it would be ignored."""
    for own in _public(instance):
        if own not in _ATTRIBUTES and (meant := _meant(own)):
            advice = "if it is your own, begin its name with an underscore"
            raise InvalidTool(
                name, f"{own!r} is not a known attribute; did you mean {meant!r}? ({advice})"
            )


def _refuse_idle(name: str, instance: BaseTool) -> None:
    """Raise for an attribute that this kind of tool never reads or calls."""
    bodies = [each for each in ("execute", "on_tool_called") if hasattr(instance, each)]
    if bodies and _own(instance, "parameters") is not None:
        raise InvalidTool(
            name, f"its parameters are read from the signature of {bodies[0]}; remove 'parameters'"
        )
    if "on_tool_called" not in bodies and hasattr(instance, "on_response_received"):
        reason = "on_response_received is never called without on_tool_called; add that"
        raise InvalidTool(name, reason)


def _meant(own: str) -> str | None:
    close = get_close_matches(own.lower(), _ATTRIBUTES, n=1, cutoff=_SLIP)
    asking = [_ASKING[word] for word in words_of(own) if word in _ASKING]
    return next(iter((*close, *asking)), None)


def _public(instance: BaseTool) -> Iterator[str]:
    known = {"declaration", *dir(object)}
    spaces = [getattr(instance, "__dict__", {}), *(vars(cls) for cls in type(instance).__mro__)]
    return (n for space in spaces for n in space if n not in known and not n.startswith("_"))


ToolLike = Tool | BaseTool | type[BaseTool] | Callable[..., Any]
_TOOL_LIKE: Final = "a function, a tool, or a class derived from BaseTool"


def declared(item: ToolLike) -> Tool:
    """Return the tool that an item declares; a plain function counts as if decorated."""
    if isinstance(item, Tool):
        return item
    if isinstance(item, BaseTool):
        return _declared(item)
    if isinstance(item, type):
        if issubclass(item, BaseTool):
            return item.declaration()
        raise InvalidParameter("Agent", "tools", _TOOL_LIKE, f"the class {item.__name__}")
    if not callable(item):
        raise InvalidParameter("Agent", "tools", _TOOL_LIKE, parameters.shown(item))
    return tool(item)
