"""Requests and commands that are refused before anybody looks at what they ask for."""

from assent.domain.errors.root import AssentError, Conflict


class TooManyRequests(AssentError):
    """Too much from one person or one address; `retry_after` is how many seconds to wait."""

    code = "too_many_requests"

    def __init__(self, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(f"Too many requests: try again in {retry_after} s")


class Crowded(AssentError):
    """As many connections as this process takes; `retry_after` is how many seconds to wait."""

    code = "crowded"

    def __init__(self, retry_after: int = 5) -> None:
        self.retry_after = retry_after
        super().__init__(f"Too many are connected at this moment: try again in {retry_after} s")


class TooSlow(AssentError):
    """A request whose body did not come in time; nothing was done."""

    code = "too_slow"

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            f"The body of this request did not come within {seconds:g} s: send it again"
        )


class TooLarge(AssentError):
    """A request that is larger than this service takes; `part` says what of it."""

    code = "too_large"

    def __init__(self, part: str, limit: int) -> None:
        self.part, self.limit = part, limit
        super().__init__(f"The {part} of this request is larger than {limit:,} bytes")


class BadAddress(AssentError):
    """An address that asks for something no name or text can hold."""

    code = "bad_address"

    def __init__(self) -> None:
        super().__init__("The address holds a NUL character: nothing here has such a name")


class CrossSite(AssentError):
    """A browser's request that another site may have caused; nothing was done."""

    code = "cross_site"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This request may come from another site, so it was refused: {reason}")


class WrongHost(AssentError):
    """A local service was reached by a name or from an address that is not this machine."""

    code = "wrong_host"

    def __init__(self) -> None:
        super().__init__(
            "This service is for this machine only: open it as 127.0.0.1 or localhost, from here"
        )


class KeyReused(Conflict):
    """An idempotency key came back with another body."""

    code = "idempotency_key_reused"

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"Idempotency key {key!r} was used for something else")


class BadCursor(AssentError):
    """A place in the feed that this service never gave out."""

    code = "bad_cursor"

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor[:80]
        super().__init__(
            f"{self.cursor!r} is no place in the feed: send the id of an event you got, or none"
        )


class BadPage(AssentError):
    """A place in a list that this service never gave out."""

    code = "bad_page"

    def __init__(self, place: str) -> None:
        self.place = place[:80]
        super().__init__(
            f"{self.place!r} is no place in this list: send the 'next' of a page, or nothing"
        )


class InvalidCommand(AssentError):
    """A command line that cannot be carried out; the message says what to do instead."""

    code = "invalid_command"
