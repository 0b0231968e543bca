"""From a connection to a caller, by whichever credential it carries."""

from starlette.requests import HTTPConnection

from assent.engine.assent import Assent
from assent.server.caller import Caller, Method


class Authenticator:
    """Tries each way to know somebody; none means nobody."""

    def __init__(self, assent: Assent) -> None:
        self._assent = assent

    async def identify(self, connection: HTTPConnection) -> Caller | None:
        """The caller, or None where no credential holds."""
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return None
        found = await self._assent.people.by_key(token.strip())
        if found is None:
            return None
        person, key = found
        return Caller(person=person, method=Method.KEY, credential=key.id, scopes=key.scopes)
