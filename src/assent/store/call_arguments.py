"""The SQL of the arguments that requests are about, many at once."""

from collections.abc import Iterable

from sqlalchemy import ClauseElement, Integer, bindparam, case, func, select, text

from assent.domain.paging import Subject
from assent.store.rows import Driver, Params, dump
from assent.store.statements import PerDatabase
from assent.store.tables import calls

_k = calls.c
_size = func.length(_k.arguments)


def _arguments(listed: str) -> ClauseElement:
    """Return a statement with one parameter for all ids; text too long for a list is not read."""
    short = case((_size <= bindparam("longest", type_=Integer), _k.arguments))
    return select(_k.id, _k.revision, short, _size).where(_k.id.in_(text(listed)))


ARGUMENTS = PerDatabase(
    sqlite=_arguments("SELECT value FROM json_each(:ids)"),
    postgres=_arguments("SELECT json_array_elements_text(CAST(:ids AS json))"),
)


class StoredSubjects:
    """`tx.subjects`: the arguments that requests are about."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def arguments(self, calls: Iterable[str], *, longest: int) -> dict[str, Subject]:
        """Return the present arguments of calls; of those with more characters only the size."""
        params: Params = {"ids": dump(list(calls)), "longest": longest}
        rows = map(tuple, self._driver.rows(ARGUMENTS, params))
        return {
            id: Subject(revision=revision, arguments=short, size=size)
            for id, revision, short, size in rows
        }
