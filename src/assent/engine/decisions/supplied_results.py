"""Results that a person gives in place of a tool."""

from assent.domain.canonical import Json
from assent.domain.outputs import parsed
from assent.domain.tools import OutputCodec
from assent.errors import InvalidOutput


def check_supplied(wanted: OutputCodec, output: Json) -> None:
    """Raise `InvalidOutput` for what a tool does not declare; a text may hold JSON, or be one."""
    try:
        wanted.normalise(parsed(output))
    except InvalidOutput as error:
        # Digits are a number and a text: whichever is wanted.
        if not isinstance(output, str) or not _is_text_wanted(wanted, output):
            raise error from None


def _is_text_wanted(wanted: OutputCodec, text: str) -> bool:
    try:
        wanted.normalise(text)
    except InvalidOutput:
        return False
    return True
