"""Keys, and the secrets sealed with them."""

from assent.domain.errors.root import AssentError


class InvalidKey(AssentError):
    """Key text that is no key; says which entry, never what it holds."""

    code = "invalid_key"

    def __init__(self, source: str, reason: str) -> None:
        self.source, self.reason = source, reason
        super().__init__(f"The keys in {source} are not usable: {reason}")


class KeyFileUnusable(AssentError):
    """The key file cannot be read or made, or others can read it too."""

    code = "key_file_unusable"

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f"The key file {path!r} is not usable: {reason}")


class KeyNotNamed(AssentError):
    """PostgreSQL has no place of its own for a key file; `found` is an earlier one, if any."""

    code = "key_not_named"

    def __init__(self, found: str | None = None) -> None:
        self.found = found
        here = f"; one that an earlier release made is here: key_file={found!r}" if found else ""
        super().__init__(
            "Which key seals the secrets in this database? Set ASSENT_KEY, or name a file with "
            "key_file=… or ASSENT_KEY_FILE; it is made if it is not there, and all processes of "
            f"one database need the same{here}"
        )


class SecretUnreadable(AssentError):
    """A sealed value does not open: unknown key, altered, or moved from another place."""

    code = "secret_unreadable"

    def __init__(self, reason: str, *, kid: str | None = None) -> None:
        self.reason, self.kid = reason, kid
        super().__init__(f"A secret cannot be read: {reason}")


class WrongKey(AssentError):
    """The keys at hand are not those the database was sealed with; nothing may start."""

    code = "wrong_key"

    def __init__(self, reason: str, *, kid: str | None = None) -> None:
        self.reason, self.kid = reason, kid
        super().__init__(
            f"This database was sealed with another key ({reason}): "
            "restore the key file it was made with, or set ASSENT_KEY to its keys"
        )
