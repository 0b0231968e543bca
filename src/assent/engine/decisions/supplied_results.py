"""Results that a person supplies in place of a tool."""

from assent.domain.canonical import Json
from assent.domain.outputs import parsed
from assent.domain.tools import OutputCodec
from assent.errors import InvalidOutput


def check_supplied(wanted: OutputCodec, output: Json) -> None:
    """Raise `InvalidOutput` if the output is not what the tool declares; text may hold JSON."""
    try:
        wanted.normalise(parsed(output))
    except InvalidOutput as error:
        # A text of digits is both a number and a text: take it as what is wanted.
        if not isinstance(output, str) or not _is_text_wanted(wanted, output):
            raise error from None


def _is_text_wanted(wanted: OutputCodec, text: str) -> bool:
    try:
        wanted.normalise(text)
    except InvalidOutput:
        return False
    return True
