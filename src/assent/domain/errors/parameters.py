"""What somebody passed to a constructor and it does not take."""

from assent.domain.errors.root import AssentError


class InvalidParameter(AssentError, TypeError, ValueError):
    """A public constructor got what it does not take; nothing was made.

    `where` is what was being made, `allowed` and `given` are words for people.
    """

    code = "invalid_parameter"

    def __init__(self, where: str, parameter: str, allowed: str, given: str) -> None:
        self.where, self.parameter = where, parameter
        self.allowed, self.given = allowed, given
        super().__init__(f"{where}: {parameter} must be {allowed}, not {given}")
