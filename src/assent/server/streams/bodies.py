"""Posted JSON as typed bodies; an invalid one is refused as a problem before any of it is used."""

import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from starlette.requests import Request

from assent.domain.canonical import JsonLimits, parse
from assent.engine.threads import offload
from assent.errors import NotFound
from assent.server.service import service_of

T = TypeVar("T")
# The form of every id; the database is not asked about anything else.
_ID = r"^[!-~]{1,200}$"
Id = Annotated[str, Field(pattern=_ID)]


class Body(BaseModel):
    """A posted object; further fields are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class CamelBody(Body):
    """A posted object with names in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


async def body_of(request: Request, shape: TypeAdapter[T]) -> T:
    """Return the typed body; raises `RequestValidationError` or `InvalidJson` if it is invalid."""
    limits = JsonLimits(bytes=service_of(request).settings.max_body_bytes)
    body = await request.body()
    return await offload(len(body), lambda: validated(shape.validate_python, parse(body, limits)))


def validated(validate: Callable[[Any], T], posted: Any, *at: str | int) -> T:
    """Return a part of a body as its type; raises `RequestValidationError` if it does not fit."""
    try:
        return validate(posted)
    except ValidationError as error:
        found: list[Any] = [{**each, "loc": ("body", *at, *each["loc"])} for each in error.errors()]
        raise RequestValidationError(found) from None


def misshapen(reason: str, *at: str | int) -> RequestValidationError:
    """Return the error for a request that its schema allows but this endpoint does not."""
    return RequestValidationError([{"type": "value_error", "loc": at, "msg": reason}])


def id_in_path(request: Request, name: str) -> str:
    """Return an id from the path; raises `NotFound` if it cannot be an id."""
    id: str = request.path_params[name]
    if re.fullmatch(_ID, id) is None:
        raise NotFound(name, id)
    return id
