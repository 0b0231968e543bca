"""Who somebody is: signing in, and the accounts behind it."""

from assent.domain.errors.root import AssentError, Conflict


class NotAuthenticated(AssentError):
    """No credential, or one that does not hold; deliberately says no more."""

    code = "not_authenticated"

    def __init__(self) -> None:
        super().__init__("Sign in, or send an API key as 'Authorization: Bearer …'")


class SignInFailed(AssentError):
    """A sign-in that did not succeed; deliberately says little."""

    code = "sign_in_failed"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The sign-in did not succeed: {reason}")


class IdentityUnavailable(AssentError):
    """An identity provider cannot be asked, so nobody can be known by it."""

    code = "identity_unavailable"

    def __init__(self, issuer: str, reason: str) -> None:
        self.issuer, self.reason = issuer, reason
        super().__init__(f"Identity provider {issuer!r} cannot be asked: {reason}. Try again later")


class InvalidAccount(AssentError):
    """An account, or a change of one, that cannot be; `reason` says why."""

    code = "invalid_account"

    def __init__(self, id: str, reason: str) -> None:
        self.id, self.reason = id, reason
        super().__init__(f"Account {id!r} cannot be so: {reason}")


class AccountExists(Conflict):
    """There is an account of this id already."""

    code = "account_exists"

    def __init__(self, id: str) -> None:
        self.id = id
        super().__init__(f"There is an account {id!r} already")
