"""Rows of a file that a spreadsheet opens without running anything in it."""

import csv
import io
from collections.abc import Iterable
from typing import Final

# What makes a spreadsheet read a cell as a formula; also behind blanks, which some of them skip.
_FORMULA: Final = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "|",
    "%",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)


def row(cells: Iterable[object]) -> str:
    """One line of CSV, its end included."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow([_cell(cell) for cell in cells])
    return line.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    # NUL ends a cell early for some readers.
    text = text.replace("\x00", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
