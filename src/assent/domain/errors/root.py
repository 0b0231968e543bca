"""The root of the tree, and the few that are raised everywhere."""

from typing import ClassVar


class AssentError(Exception):
    """The root: every error of this package is one of these."""

    code: ClassVar[str] = "error"


class Conflict(AssentError):
    """What was asked does not fit the state the record is in."""

    code = "conflict"


class NotFound(AssentError):
    """There is no such thing, or it is not visible to whoever asks."""

    code = "not_found"

    def __init__(self, noun: str, id: str, hint: str = "") -> None:
        self.noun, self.id = noun, id
        super().__init__(f"There is no {noun} {id!r}" + (f": {hint}" if hint else ""))


class NotAllowed(AssentError):
    """This person may not do that at all."""

    code = "not_allowed"

    def __init__(self, person: str, action: str) -> None:
        self.person, self.action = person, action
        super().__init__(f"{person!r} may not {action}")
