"""Pairs of a name and a value, and tables: rows of the same few columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from assent.domain.canonical import Json, encode, parse
from assent.domain.field_types.kinds import refuse, spelt
from assent.domain.field_types.texts import printable, read_line
from assent.errors import InvalidAnswer, InvalidJson

if TYPE_CHECKING:
    from assent.domain.fields import Field

# A page posts every cell, and a form of too many controls is not read.
MOST_CELLS: Final = 500
MOST_ROWS: Final = 100
_NAME_CHARS: Final = 200
_TOLD: Final = 3
# Comes before the controls, because all of them may be taken away.
_SHOWN: Final = ""
_CELL, _PAIR = " | ", " = "


def read_pairs(field: Field, value: object) -> dict[str, Json]:
    """Read pairs: an object of text, or a line such as "name = value" for each."""
    found: dict[str, Json] = {}
    for name, text in _pairs(field, value):
        if name in found:
            refuse(field, "Enter each name once.")
        found[_name(field, name)] = read_line(field, text)
        _refuse_too_many(field, len(found), "pairs")
    return found or refuse(field, "Enter at least one pair.")


def _pairs(field: Field, value: object) -> Iterable[tuple[str, object]]:
    given = _json_in(field, value, "{")
    if isinstance(given, str):
        lines = [line.partition("=") for line in _lines_of(field, given)]
        if not all(sign for _, sign, _ in lines):
            refuse(field, "Enter a line for each pair, such as name = value.")
        return [(name.strip(), text.strip()) for name, _, text in lines]
    # A page sends a list: names may come twice there, and that is refused, not merged.
    if isinstance(given, Mapping):
        listed: Iterable[object] = cast("Mapping[str, object]", given).items()
    elif isinstance(given, list | tuple):
        listed = cast("Sequence[object]", given)
    else:
        refuse(field, "Enter pairs of a name and a value.")
    return [_pair(field, each) for each in listed]


def _pair(field: Field, given: object) -> tuple[str, object]:
    pair = list(cast("Sequence[object]", given)) if isinstance(given, list | tuple) else []
    if len(pair) != len(("name", "text")) or not isinstance(name := pair[0], str):
        refuse(field, "Enter pairs of a name and a value.")
    return name.strip(), pair[1]


def _name(field: Field, name: str) -> str:
    if not name:
        refuse(field, "Enter a name for each value.")
    # Such a key means a secret or a kept value in arguments; nobody may write one.
    if name.startswith("$") or len(name) > _NAME_CHARS:
        refuse(field, f"Enter names of at most {_NAME_CHARS} characters that do not begin with $.")
    return read_line(field, name)


def read_rows(field: Field, value: object) -> list[Json]:
    """Read a table: a list of objects, or a line with a cell for each column."""
    given = _json_in(field, value, "[")
    rows = _spelt_rows(field, given) if isinstance(given, str) else given
    if not isinstance(rows, list | tuple):
        refuse(field, "Enter rows.")
    listed = cast("Sequence[object]", rows)
    _refuse_too_many(field, len(listed), "rows")
    problems: list[str] = []
    read = [_row(field, number, each, problems) for number, each in enumerate(listed, 1)]
    if problems:
        more = len(problems) - _TOLD
        refuse(field, " ".join([*problems[:_TOLD], *([f"And {more} more."] if more > 0 else [])]))
    kept: list[Json] = [row for row in read if row]
    return kept or refuse(field, "Enter at least one row.")


def _row(field: Field, number: int, given: object, problems: list[str]) -> dict[str, Json]:
    cells = cast("Mapping[str, object]", given) if isinstance(given, Mapping) else None
    if cells is None or not {each.name for each in field.columns} >= cells.keys():
        problems.append(f"Row {number} does not have the columns of the table.")
        return {}
    if not any(column.is_given(cells.get(column.name)) for column in field.columns):
        return {}
    row: dict[str, Json] = {}
    for column in field.columns:
        try:
            value = _cell(column, cells.get(column.name))
        except InvalidAnswer as error:
            problems.append(f"Row {number}, {column.label}: {error.errors[column.name]}")
        else:
            row |= {} if value is None else {column.name: value}
    return row


def _cell(column: Field, value: object) -> Json:
    if column.is_given(value):
        return column.accept(value)
    if column.required and column.default is None:
        refuse(column, "This is required.")
    return column.default


def _spelt_rows(field: Field, text: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for number, line in enumerate(_lines_of(field, text), 1):
        cells = [each.strip() for each in line.split("|")]
        if len(cells) != len(field.columns):
            refuse(field, f"Row {number}: enter {len(field.columns)} cells with | between them.")
        rows.append({column.name: cell for column, cell in zip(field.columns, cells, strict=True)})
    return rows


def _lines_of(field: Field, text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    _refuse_too_many(field, len(lines), "lines")
    return lines


def _json_in(field: Field, value: object, sign: str) -> object:
    """Return the JSON that a text consists of, if it begins so; any other value as it is."""
    if not isinstance(value, str):
        return value
    text = printable(field, value.replace("\r\n", "\n")).strip()
    if not text.startswith(sign):
        return text
    try:
        return parse(text)
    except InvalidJson:
        refuse(field, "This begins like JSON but is not valid JSON.")


def wrong_cells(field: Field, rows: Sequence[Sequence[str]]) -> tuple[tuple[int, int], ...]:
    """Return the places of the cells that do not fit, by row and column."""
    filled = [(y, row) for y, row in enumerate(rows) if any(text.strip() for text in row)]
    if field.columns:
        return tuple(
            (y, x)
            for y, row in filled
            for x, (column, text) in enumerate(zip(field.columns, row, strict=False))
            if _is_refused(_cell, column, column.kind.join(column, [text]))
        )
    names = [row[0].strip() for _, row in filled]
    return tuple(
        (y, 0)
        for place, (y, _) in enumerate(filled)
        if names[place] in names[:place] or _is_refused(_name, field, names[place])
    )


def _is_refused(read: Callable[[Field, Any], object], field: Field, given: object) -> bool:
    try:
        read(field, given)
    except InvalidAnswer:
        return True
    return False


def _refuse_too_many(field: Field, count: int, what: str) -> None:
    if count > field.max_rows:
        refuse(field, f"Enter at most {field.max_rows} {what}.")


def spell_pairs(_field: Field, value: Json) -> str:
    """Write pairs as lines, or as JSON where a line would be read as another pair."""
    pairs = cast("Mapping[str, str]", value)
    is_plain = all(
        "=" not in name and text == text.strip() and not name.startswith("{")
        for name, text in pairs.items()
    )
    lines = (f"{name}{_PAIR}{text}".rstrip() for name, text in pairs.items())
    return "\n".join(lines) if is_plain else encode(value)


def spell_rows(field: Field, value: Json) -> str:
    """Write rows as lines, or as JSON where a line would be read as another row."""
    lines = [
        _spelt_row(field, cast("Mapping[str, Json]", row)) for row in cast("list[Json]", value)
    ]
    is_plain = all(
        line.count("|") == len(field.columns) - 1 and not line.startswith("[") for line in lines
    )
    return "\n".join(lines) if is_plain else encode(value)


def _spelt_row(field: Field, row: Mapping[str, Json]) -> str:
    cells = (spelt(row[each.name]) if each.name in row else "" for each in field.columns)
    return _CELL.join(cells).strip()


def split_pairs(_field: Field, value: Json) -> list[str]:
    """Return the texts of the controls, two for each pair."""
    return [_SHOWN, *(text for pair in cast("Mapping[str, str]", value).items() for text in pair)]


def join_pairs(_field: Field, texts: Sequence[str]) -> object:
    """Return the pairs that controls hold, without those that are left empty."""
    pairs = list(zip(texts[1::2], texts[2::2], strict=False))
    return [pair for pair in pairs if pair[0].strip() or pair[1].strip()] or None


def split_rows(field: Field, value: Json) -> list[str]:
    """Return the texts of the controls, row by row, one for each cell."""
    rows = cast("list[Mapping[str, Json]]", value)
    cells = (
        spelt(row[column.name]) if column.name in row else ""
        for row in rows
        for column in field.columns
    )
    return [_SHOWN, *cells]


def join_rows(field: Field, texts: Sequence[str]) -> object:
    """Return the rows that controls hold, without those that are left empty."""
    width = len(field.columns)
    cut = [texts[start : start + width] for start in range(1, len(texts), width)]
    filled = [row for row in cut if any(text.strip() for text in row)]
    return [_joined_row(field, row) for row in filled] or None


def _joined_row(field: Field, row: Sequence[str]) -> dict[str, object]:
    cells = zip(field.columns, row, strict=False)
    return {column.name: column.kind.join(column, [text]) for column, text in cells}


def pairs_schema(field: Field) -> dict[str, Json]:
    """Describe pairs."""
    text: dict[str, Json] = {"type": "string", "maxLength": field.max_length}
    return {
        "type": "object",
        "additionalProperties": text,
        "propertyNames": {"pattern": "^[^$]", "maxLength": _NAME_CHARS},
        "maxProperties": field.max_rows,
    }


def rows_schema(field: Field) -> dict[str, Json]:
    """Describe a table."""
    columns: dict[str, Json] = {
        each.name: {"title": each.label, **each.kind.schema(each)} for each in field.columns
    }
    required: list[Json] = [
        each.name for each in field.columns if each.required and each.default is None
    ]
    item: dict[str, Json] = {"type": "object", "properties": columns, "required": required}
    return {
        "type": "array",
        "items": {**item, "additionalProperties": False},
        "maxItems": field.max_rows,
    }
