"""How tools are written: a decorator over typed functions, and a class form."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, cast, overload

from assent.domain.arguments import (
    SchemaArguments,
    SchemaOutput,
    TypedArguments,
    TypedOutput,
    signature_fields,
    summary,
)
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.errors import InvalidTool
from assent.domain.foreign import seen_through
from assent.domain.forms import UserInput
from assent.domain.people import Audience
from assent.domain.tools import (
    LOCAL,
    ArgumentsCodec,
    Body,
    Context,
    Generator,
    Hint,
    Hitl,
    Kind,
    Manual,
    OutputCodec,
    Predicate,
    Previewer,
    Regular,
    Risk,
    Steps,
    Tool,
    risk_by_name,
)

Wish = bool | Predicate | Callable[[Mapping[str, Json]], bool | Awaitable[bool]]
_UNSET_TIMEOUT = timedelta(minutes=5)
_UNSET_DEADLINE = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What an author says about a tool besides its body; the defaults are the careful ones."""

    risk: Risk | None = None
    requires_approval: Wish | None = None
    requires_confirmation: Wish | None = None
    hil: Wish | None = None
    confirmation: Confirmation | None = None
    impact: str = ""
    category: str = ""
    source: str = LOCAL
    version: str = ""
    timeout: timedelta | None = _UNSET_TIMEOUT
    decide_within: timedelta | None = _UNSET_DEADLINE
    idempotent: bool | None = None
    caller_roles: frozenset[str] = frozenset()
    approvers: Audience | tuple[str, ...] = ()
    question: str = ""
    hints: Mapping[str, Hint] | None = None
    preview: Previewer | None = None
    user_input: UserInput | None = None


def assemble(
    name: str,
    description: str,
    kind: Kind,
    *,
    arguments: ArgumentsCodec,
    output: OutputCodec | None,
    said: Metadata,
) -> Tool:
    """Put a tool together, filling in what its author left open."""
    wish = _wish(name, said)
    by_name = risk_by_name(name) if said.risk is None and wish is None else None
    risk = said.risk or by_name or Risk.MODERATE
    if wish is None:
        wish = risk is Risk.DANGEROUS or by_name is Risk.MODERATE
    approvers = said.approvers
    return Tool(
        name=name,
        description=description,
        kind=kind,
        arguments=arguments,
        output=output,
        risk=risk,
        requires_approval=wish if isinstance(wish, bool) else _two_argument(wish),
        confirmation=None if said.confirmation is None else Confirmation(said.confirmation),
        impact=said.impact,
        category=said.category,
        source=said.source,
        version=said.version,
        timeout=said.timeout,
        decide_within=said.decide_within,
        idempotent=risk is Risk.SAFE if said.idempotent is None else said.idempotent,
        caller_roles=frozenset(said.caller_roles),
        audience=approvers if isinstance(approvers, Audience) else _audience(approvers),
        question=said.question,
        hints=dict(said.hints or {}),
        preview=said.preview,
        user_input=said.user_input,
    )


def _audience(roles: tuple[str, ...]) -> Audience:
    return Audience.of(*roles) if roles else Audience()


def _wish(name: str, said: Metadata) -> Wish | None:
    given = (said.requires_approval, said.requires_confirmation, said.hil)
    wishes = [wish for wish in given if wish is not None]
    if any(wish is not wishes[0] for wish in wishes):
        raise InvalidTool(
            name, "requires_approval, requires_confirmation and hil are one field and disagree"
        )
    return wishes[0] if wishes else None


def _two_argument(wish: Callable[..., Any]) -> Predicate:
    # `lambda args: …` is what people write; the context is there for those who ask for it.
    parameters = inspect.signature(wish).parameters.values()
    positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(positional) >= 2 or any(p.kind is p.VAR_POSITIONAL for p in positional):
        return cast("Predicate", wish)
    if inspect.iscoroutinefunction(wish):

        async def asynchronous(args: Mapping[str, Json], _: Context) -> bool:
            return await wish(args)

        return asynchronous
    return lambda args, _: wish(args)


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
    """Make a typed function a tool: schema from its hints, texts from its docstring.

    An async generator function becomes a generator tool. Everything in `Metadata` may be given.
    """

    def declare(body: Callable[..., Any]) -> Tool:
        label = name or body.__name__
        metadata = _metadata(label, said)
        fields, context = signature_fields(body)
        codec = TypedArguments(label, fields, metadata.user_input)
        shape = None if output is None else _output(label, output)
        text = summary(body) if description is None else description
        return assemble(
            label, text, _runnable(body, context), arguments=codec, output=shape, said=metadata
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
    """A tool whose hook answers or, by returning None, leaves the call to a person."""
    metadata = _metadata(name, said)
    fields, context = signature_fields(on_tool_called)
    kind = Hitl(
        on_tool_called=_body(on_tool_called, context),
        on_response_received=None if on_response_received is None else _hook(on_response_received),
    )
    text = summary(on_tool_called) if description is None else description
    codec = TypedArguments(name, fields, metadata.user_input)
    shape = None if output is None else _output(name, output)
    return assemble(name, text, kind, arguments=codec, output=shape, said=metadata)


def manual(
    name: str,
    *,
    description: str,
    parameters: Any = None,
    output: Any = None,
    **said: Any,
) -> Tool:
    """A tool nobody runs: the caller supplies its output. `parameters`: a signature or a schema."""
    metadata = _metadata(name, said)
    codec = _parameters(name, parameters, metadata.user_input)
    shape = None if output is None else _output(name, output)
    return assemble(name, description, Manual(), arguments=codec, output=shape, said=metadata)


def schema_tool(
    name: str,
    *,
    description: str,
    parameters: dict[str, Json],
    execute: Callable[[Context, dict[str, Json]], Awaitable[object]],
    output: dict[str, Json] | None = None,
    **said: Any,
) -> Tool:
    """A tool whose parameters are a JSON schema that somebody else wrote."""
    metadata = _metadata(name, said)
    codec = SchemaArguments(name, parameters, metadata.user_input)
    shape = None if output is None else SchemaOutput(name, output)
    return assemble(
        name, description, Regular(body=execute), arguments=codec, output=shape, said=metadata
    )


def _metadata(name: str, said: Mapping[str, Any]) -> Metadata:
    try:
        return Metadata(**said)
    except TypeError as error:
        known = ", ".join(Metadata.__slots__)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType, reportAttributeAccessIssue]
        raise InvalidTool(name, f"{error}; known are {known}") from None


def _output(name: str, output: Any) -> OutputCodec:
    return (
        SchemaOutput(name, cast("dict[str, Json]", output))
        if isinstance(output, dict)
        else TypedOutput(name, output)
    )


def _parameters(name: str, parameters: Any, user_input: UserInput | None) -> ArgumentsCodec:
    if isinstance(parameters, dict):
        return SchemaArguments(name, cast("dict[str, Json]", parameters), user_input)
    fields = {} if parameters is None else signature_fields(parameters)[0]
    return TypedArguments(name, fields, user_input)


def _runnable(function: Callable[..., Any], context: str | None) -> Kind:
    if inspect.isasyncgenfunction(function):
        return Generator(steps=_steps(function, context))
    if inspect.isgeneratorfunction(function):
        raise InvalidTool(function.__name__, "a generator tool is an async generator")
    return Regular(body=_body(function, context))


def _steps(function: Callable[..., AsyncIterator[object]], context: str | None) -> Steps:
    def steps(ctx: Context, bound: dict[str, Any]) -> AsyncIterator[object]:
        return function(**bound, **({context: ctx} if context else {}))

    return steps


def _body(function: Callable[..., Any], context: str | None) -> Body:
    async def body(ctx: Context, bound: dict[str, Any]) -> object:
        return await seen_through(function, **bound, **({context: ctx} if context else {}))

    return body


def _hook(function: Callable[..., Any]) -> Callable[[Context, Json], Awaitable[object]]:
    takes_context = len(inspect.signature(function).parameters) > 1

    async def hook(ctx: Context, value: Json) -> object:
        return await seen_through(function, value, *((ctx,) if takes_context else ()))

    return hook


class BaseTool:
    """The class form: set `name`, `description`, any metadata, and write `execute`.

    With `on_tool_called` and `output` it is a HITL tool; with neither, a manual one.
    """

    name: ClassVar[str] = ""
    description: ClassVar[str] = ""
    output: ClassVar[Any] = None
    parameters: ClassVar[Any] = None

    @classmethod
    def declaration(cls) -> Tool:
        """The tool this class declares."""
        return _declared(cls(), cls)


def _declared(instance: BaseTool, cls: type[BaseTool]) -> Tool:
    name = cls.name or cls.__name__
    names = Metadata.__dataclass_fields__
    said = {n: getattr(cls, n) for n in names if hasattr(cls, n)}
    said = {n: v.__func__ if isinstance(v, staticmethod) else v for n, v in said.items()}
    text = cls.description or inspect.getdoc(cls) or ""
    execute = getattr(instance, "execute", None)
    called = getattr(instance, "on_tool_called", None)
    if called is not None:
        if execute is not None:
            raise InvalidTool(name, "it has both execute and on_tool_called; choose one")
        if cls.output is None:
            raise InvalidTool(name, "a HITL tool needs an output type (output schema)")
        received = getattr(instance, "on_response_received", None)
        return hitl(
            name,
            output=cls.output,
            on_tool_called=called,
            on_response_received=received,
            description=text,
            **said,
        )
    if execute is None:
        return manual(name, description=text, parameters=cls.parameters, output=cls.output, **said)
    return tool(name=name, description=text, output=cls.output, **said)(execute)


ToolLike = Tool | BaseTool | type[BaseTool]


def declared(item: ToolLike) -> Tool:
    """The tool behind whatever form it was written in."""
    if isinstance(item, Tool):
        return item
    return _declared(item, type(item)) if isinstance(item, BaseTool) else item.declaration()
