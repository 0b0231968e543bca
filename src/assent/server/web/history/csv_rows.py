"""CSV rows that a spreadsheet opens without running anything in them."""

import csv
import io
from collections.abc import Iterable
from typing import Final

# A cell that begins so is read as a formula; also after blanks, which some spreadsheets skip.
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
    """Return one line of CSV with its line end."""
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
    # Some readers end a cell at a NUL.
    text = text.replace("\x00", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
