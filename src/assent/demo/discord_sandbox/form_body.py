"""Checks of a request's values that collect every error under its path, as Discord reports them."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, cast

from assent.demo.discord_sandbox.refusals import Payload, invalid_form_body


def size(text: str) -> int:
    """Return the length in UTF-16 units, the strictest count that a client of Discord uses."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def one_error(path: str, code: str, message: str) -> Exception:
    """Return the refusal for a body with a single error."""
    return invalid_form_body({path: {"_errors": [{"code": code, "message": message}]}})


@dataclass(slots=True)
class FormBody:
    """The errors found in one body."""

    errors: Payload = field(default_factory=dict[str, Any])

    def root(self) -> "Part":
        """Return the body itself, to go down from."""
        return Part(self, ())

    def check(self) -> None:
        """Raise the refusal if anything was wrong."""
        if self.errors:
            raise invalid_form_body(self.errors)


@dataclass(frozen=True, slots=True)
class Part:
    """A place in a body; checks there note errors under its path."""

    body: FormBody
    path: tuple[str, ...]

    def at(self, *keys: str | int) -> "Part":
        """Return a place further down."""
        return Part(self.body, (*self.path, *map(str, keys)))

    def wrong(self, code: str, message: str) -> None:
        """Note an error here."""
        here = self.body.errors
        for key in self.path:
            here = here.setdefault(key, {})
        here.setdefault("_errors", []).append({"code": code, "message": message})

    def text(self, value: object, *, most: int, least: int = 0) -> str:
        """Return a text without the space around it, checked; null counts as empty."""
        if value is not None and not isinstance(value, str):
            self.wrong("STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
            return ""
        text = (value or "").strip()
        if least and not text:
            self.wrong("BASE_TYPE_REQUIRED", "This field is required")
        elif size(text) > most and least:
            self.wrong("BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
        elif size(text) > most:
            self.wrong("BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
        return text

    def items(self, value: object, *, most: int, least: int = 0) -> list[Payload]:
        """Return the objects of an array, whose number is checked; null counts as empty."""
        if not isinstance(value, list | None):
            self.wrong("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
            return []
        found = cast("list[object]", value or [])
        if len(found) > most or len(found) < least:
            words = f"between {least} and {most}" if least else f"{most} or fewer"
            code = "BASE_TYPE_BAD_LENGTH" if least else "BASE_TYPE_MAX_LENGTH"
            self.wrong(code, f"Must be {words} in length.")
        return [self.at(index).model(each) for index, each in enumerate(found)]

    def model(self, value: object) -> Payload:
        """Return an object."""
        if isinstance(value, dict):
            return cast("Payload", value)
        self.wrong("MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
        return {}

    def number(self, value: object, *, most: int, least: int, default: int) -> int:
        """Return a whole number within its limits, or the default if there is none."""
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong("NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
            return default
        if value > most:
            self.wrong("NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
        if value < least:
            self.wrong("NUMBER_TYPE_MIN", f"int value should be greater than or equal to {least}.")
        return value

    def one_of(self, value: object, allowed: Collection[int]) -> bool:
        """Check that a value is one of some numbers."""
        if isinstance(value, int) and not isinstance(value, bool) and value in allowed:
            return True
        if value is None:
            self.wrong("BASE_TYPE_REQUIRED", "This field is required")
        else:
            choices = ", ".join(map(str, sorted(allowed)))
            self.wrong("BASE_TYPE_CHOICES", f"Value must be one of {{{choices}}}.")
        return False
