"""Validation of a tool's arguments and outputs, by type hints or by JSON schema."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, get_type_hints

import docstring_parser
from pydantic import BaseModel, ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic import Field as ModelField
from pydantic import create_model as build_model
from pydantic_core import PydanticSerializationError

from assent.domain.canonical import Json, check
from assent.domain.files import is_file_hint
from assent.domain.forms import Field, UserInput
from assent.domain.jsonschema import Schema
from assent.domain.outputs import jsonable
from assent.domain.tools import Arguments, Context
from assent.errors import (
    InvalidArguments,
    InvalidJson,
    InvalidOutput,
    InvalidSchema,
    InvalidTool,
)

_SHOWN_COMPLAINTS: Final = 10
_WHOLE, _NUMBER, _TEXT = "must be a whole number", "must be a number", "must be text"
_TRUTH, _LIST, _OBJECT = "must be true or false", "must be a list", "must be an object"
_DATE, _MOMENT = "must be a date like 2026-01-31", "must be a time like 2026-01-31T12:00:00Z"
# By pydantic's error type; an error that is not listed keeps pydantic's own message.
_WORDS: Final[Mapping[str, str]] = {
    "missing": "is required",
    "extra_forbidden": "is not allowed",
    "none_required": "must be null",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), _NUMBER),
    "finite_number": "must be a number that is not infinite",
    **dict.fromkeys(("bool_type", "bool_parsing"), _TRUTH),
    **dict.fromkeys(("string_type", "string_sub_type"), _TEXT),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), _LIST),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "model_attributes_type"), _OBJECT),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), _DATE),
    **dict.fromkeys(("datetime_type", "datetime_parsing"), _MOMENT),
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_pattern_mismatch": "must match the pattern {pattern!r}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
}


def is_secret_reference(value: object) -> bool:
    """Return True for the stand-in that frozen arguments hold instead of a secret."""
    return isinstance(value, dict) and list(value) == ["$secret"]  # pyright: ignore[reportUnknownArgumentType]


class TypedArguments:
    """Arguments declared by type hints, in three views of one signature.

    The model sees all but the fields that people fill in. The gate sees those too, a secret only as
    a reference. The body gets every value.
    """

    def __init__(
        self, tool: str, fields: Mapping[str, tuple[Any, Any]], user_input: UserInput | None
    ) -> None:
        asked = {} if user_input is None else {field.name: field for field in user_input.fields}
        if unknown := asked.keys() - fields.keys():
            raise InvalidTool(tool, f"user input {sorted(unknown)} is not a parameter of its body")
        _want_file_hints(tool, fields, user_input)
        secrets = set(user_input.secrets if user_input else ())
        self._tool = tool
        self._asked = frozenset(asked)
        self._secrets = secrets
        self._run = _model(tool, fields)
        self._gate = self._run if not secrets else _model(tool, _masked(fields, secrets))
        visible = {name: spec for name, spec in fields.items() if name not in asked}
        self._visible = self._run if not asked else _model(tool, visible)
        self._full_schema = _schema(tool, self._gate)
        self._visible_schema = _schema(tool, self._visible)
        self._names = tuple(fields)

    @property
    def visible(self) -> dict[str, Json]:
        return self._visible_schema

    @property
    def full(self) -> dict[str, Json]:
        return self._full_schema

    def normalise(self, raw: Arguments, *, partial: bool) -> dict[str, Json]:
        model = self._visible if partial else self._gate
        try:
            value = model.model_validate(raw)
            # A secret that was not asked for is left out: the body has its own default for it.
            unasked = self._secrets - value.model_fields_set
            dumped = value.model_dump(
                mode="json", by_alias=True, warnings="none", exclude=unasked or None
            )
            return check(dumped)  # pyright: ignore[reportReturnType]
        except ValidationError as error:
            raise InvalidArguments(self._tool, complaints(error, root="arguments")) from None
        except (PydanticSerializationError, InvalidJson) as error:
            raise InvalidArguments(self._tool, [str(error)]) from None

    def bind(self, arguments: Arguments) -> dict[str, Any]:
        try:
            value = self._run.model_validate(arguments)
        except ValidationError as error:
            raise InvalidArguments(self._tool, complaints(error, root="arguments")) from None
        return {name: getattr(value, name) for name in self._names}


def _want_file_hints(
    tool: str, fields: Mapping[str, tuple[Any, Any]], user_input: UserInput | None
) -> None:
    """Raise unless exactly the fields for files are parameters annotated with `File`.

    A model cannot send a file, and a reference that it makes up must not read one.
    """
    taken: Mapping[str, Field] = {} if user_input is None else user_input.files
    for name, (hint, _) in fields.items():
        if is_file_hint(hint) and name not in taken:
            raise InvalidTool(tool, f"{name!r} is a File, so it must be a file field of user_input")
        if name in taken and not is_file_hint(hint):
            wanted = "File" if taken[name].max_files == 1 else "list[File]"
            raise InvalidTool(tool, f"{name!r} is a file field: annotate it as {wanted}")


def _masked(fields: Mapping[str, tuple[Any, Any]], secrets: set[str]) -> dict[str, tuple[Any, Any]]:
    slot = (dict[str, str] | None, None)
    return {name: slot if name in secrets else spec for name, spec in fields.items()}


def _model(tool: str, fields: Mapping[str, tuple[Any, Any]]) -> type[BaseModel]:
    config = ConfigDict(extra="forbid", protected_namespaces=(), arbitrary_types_allowed=False)
    try:
        return build_model(tool, __config__=config, **dict(fields))  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]
    except (PydanticUserError, TypeError, NameError) as error:
        raise InvalidTool(tool, f"its parameters have no JSON schema: {error}") from None


def _schema(tool: str, model: type[BaseModel]) -> dict[str, Json]:
    try:
        schema = model.model_json_schema()
    except PydanticUserError as error:
        raise InvalidTool(tool, f"its parameters have no JSON schema: {error}") from None
    schema.pop("title", None)
    # A SecretStr would be frozen as asterisks: what was approved could never run.
    if any(spec.get("format") == "password" for spec in schema.get("properties", {}).values()):
        raise InvalidTool(tool, "it has a SecretStr; declare the secret as a field of user_input")
    return schema


def signature_fields(
    function: Callable[..., object], *, skip_first: bool = False
) -> tuple[dict[str, tuple[Any, Any]], str | None]:
    """Return a body's parameters as model fields, and the name of the one for the context."""
    name = getattr(function, "__name__", "tool")
    hints = _hints(name, function)
    described = _descriptions(function)
    fields: dict[str, tuple[Any, Any]] = {}
    context: str | None = None
    parameters = _signature(name, function)[1 if skip_first else 0 :]
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise InvalidTool(name, f"'*{parameter.name}' has no schema; name every parameter")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise InvalidTool(
                name, f"parameter {parameter.name!r} cannot be passed by name; remove the '/'"
            )
        if parameter.name == "self" and not fields:
            raise InvalidTool(name, "it is an unbound method; pass the method of an instance")
        hint = hints.get(parameter.name, Any)
        if hint is Context:
            context = parameter.name
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        text = described.get(parameter.name)
        fields[parameter.name] = (hint, ModelField(default, description=text) if text else default)
    return fields, context


def _signature(name: str, function: Callable[..., object]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise InvalidTool(name, f"its parameters have no signature: {error}") from None


def _hints(name: str, function: Callable[..., object]) -> dict[str, Any]:
    is_object = not isinstance(function, type) and not hasattr(function, "__annotations__")
    hinted = type(function).__call__ if is_object and not inspect.isroutine(function) else function
    try:
        return get_type_hints(hinted, include_extras=True)
    except (NameError, TypeError, SyntaxError) as error:
        raise InvalidTool(name, f"its type hints cannot be read: {error}") from None


def _descriptions(function: Callable[..., object]) -> dict[str, str]:
    parsed = docstring_parser.parse(inspect.getdoc(function) or "")
    return {item.arg_name: item.description for item in parsed.params if item.description}


def description_of(function: Callable[..., object]) -> str:
    """Return the description in a function's docstring, without its parameter list."""
    parsed = docstring_parser.parse(inspect.getdoc(function) or "")
    parts = (parsed.short_description, parsed.long_description)
    return "\n\n".join(part for part in parts if part)


class SchemaArguments:
    """Arguments declared by a JSON schema: not coerced, but completed with its defaults."""

    def __init__(
        self, tool: str, schema: dict[str, Json], user_input: UserInput | None = None
    ) -> None:
        self._tool = tool
        self._schema = _compiled(tool, "parameters", schema)
        self.full = schema
        asked = () if user_input is None else tuple(field.name for field in user_input.fields)
        self._secrets = frozenset[str]() if user_input is None else user_input.secrets
        self.visible = _without(schema, asked)
        self._visible = self._schema if not asked else Schema(self.visible)

    def normalise(self, raw: Arguments, *, partial: bool) -> dict[str, Json]:
        filled = {**_defaults(self.visible if partial else self.full), **raw}
        # A secret's stand-in fits no declared type; its form has validated the value itself.
        hidden = [v for k, v in filled.items() if k in self._secrets and is_secret_reference(v)]
        schema = self._visible if partial else self._schema
        if found := schema.problems(filled, hidden=hidden):
            raise InvalidArguments(self._tool, [str(problem) for problem in found])
        return filled

    def bind(self, arguments: Arguments) -> dict[str, Json]:
        return dict(arguments)


def _compiled(tool: str, what: str, schema: dict[str, Json]) -> Schema:
    try:
        return Schema(schema)
    except InvalidSchema as error:
        detail = f"its {what} cannot be used as a JSON schema ({error.reason}): {error.detail}"
        raise InvalidTool(tool, detail) from None


def _properties(schema: Mapping[str, Json]) -> dict[str, Json]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _without(schema: dict[str, Json], names: tuple[str, ...]) -> dict[str, Json]:
    if not names:
        return schema
    required = schema.get("required")
    kept = [n for n in required if n not in names] if isinstance(required, list) else []
    properties = {k: v for k, v in _properties(schema).items() if k not in names}
    return {**schema, "properties": properties, "required": kept}  # pyright: ignore[reportReturnType]


def _defaults(schema: Mapping[str, Json]) -> dict[str, Json]:
    specs = _properties(schema).items()
    return {
        name: spec["default"]
        for name, spec in specs
        if isinstance(spec, dict) and "default" in spec
    }


class TypedOutput:
    """An output declared by a type; pydantic validates it."""

    def __init__(self, tool: str, type_: Any) -> None:
        self._tool = tool
        try:
            self._adapter = TypeAdapter[Any](type_)
            self.schema: dict[str, Json] = self._adapter.json_schema()
        except (PydanticUserError, TypeError, NameError, SyntaxError, AttributeError) as error:
            raise InvalidTool(tool, f"its output has no JSON schema: {error}") from None

    def normalise(self, value: object) -> Json:
        try:
            valid = self._adapter.validate_python(value)
            return check(self._adapter.dump_python(valid, mode="json"))
        except ValidationError as error:
            raise InvalidOutput(self._tool, "; ".join(complaints(error))) from None
        except (PydanticSerializationError, InvalidJson) as error:
            raise InvalidOutput(self._tool, str(error)) from None


class SchemaOutput:
    """An output declared by a JSON schema."""

    def __init__(self, tool: str, schema: dict[str, Json]) -> None:
        self._tool, self.schema = tool, schema
        self._schema = _compiled(tool, "output", schema)

    def normalise(self, value: object) -> Json:
        output = jsonable(self._tool, value)
        if found := self._schema.problems(output):
            raise InvalidOutput(self._tool, "; ".join(str(problem) for problem in found))
        return output


def complaints(error: ValidationError, *, root: str = "") -> list[str]:
    """Return pydantic's first errors as `path: message`; `root` stands for an empty path."""
    found = list(_complaints(error, root))
    rest = len(found) - _SHOWN_COMPLAINTS
    return found[:_SHOWN_COMPLAINTS] + ([f"and {rest} more"] if rest > 0 else [])


def _complaints(error: ValidationError, root: str) -> Iterable[str]:
    # Without the input itself, which can be long, hostile or secret.
    for item in error.errors(include_url=False, include_input=False):
        path = ".".join(map(str, item["loc"])) or root
        words = _WORDS.get(item["type"], "")
        said = words.format_map(_bounds(item.get("ctx", {}))) if words else item["msg"]
        # The templates are plural.
        said = said.replace(" 1 characters", " 1 character").replace(" 1 entries", " 1 entry")
        yield f"{path}: {said}" if path else said


def _bounds(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return bounds as people write them: 3, not 3.0."""
    return {
        name: int(fact) if isinstance(fact, float) and fact.is_integer() else fact
        for name, fact in context.items()
    }
