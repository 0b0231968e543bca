"""The SQL of the first messages of conversations."""

from typing import Any

from sqlalchemy import BigInteger, Text, bindparam, func, select, tuple_
from sqlalchemy.sql import ClauseElement

from assent.domain.paging import Place
from assent.store.rows import Driver, Params, micros
from assent.store.tables import conversations, messages

_c, _m = conversations.c, messages.c
_LATEST = 2**62
_CHARS = 160


def _openings() -> ClauseElement:
    place = tuple_(bindparam("at", type_=BigInteger), bindparam("id", type_=Text))
    page = (
        select(_c.id)
        .where(_c.owner == bindparam("owner"), tuple_(_c.created_at, _c.id) < place)
        .order_by(_c.created_at.desc(), _c.id.desc())
        .limit(bindparam("limit"))
        .subquery("page")
    )
    # By the index on conversation and position: the first row of each.
    said = (
        select(func.substr(_m.text, 1, _CHARS))
        .where(_m.conversation_id == page.c.id)
        .order_by(_m.position)
        .limit(1)
        .correlate(page)
        .scalar_subquery()
    )
    return select(page.c.id, said)


OPENINGS = _openings()


class StoredOpenings:
    """`tx.openings`: the first messages of conversations."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def of_owner(self, owner: str, *, after: Place | None, limit: int) -> dict[str, str]:
        """Return the first words of each conversation of a page, by its id; newest first."""
        params: Params = {"owner": owner, "at": _LATEST, "id": "", "limit": limit}
        if after is not None:
            params |= {"at": micros(after.at), "id": after.id}
        rows: Any = self._driver.rows(OPENINGS, params)
        return {id: text or "" for id, text in rows}
