"""Text that may stand in a control or at a prompt, where nothing can be spelt out beside it."""

import re
from typing import Final

from assent.presentation.text import SPACES_MAX, is_plain

# Blanks that push what follows out of sight; at the start of a line they are an indentation.
_PADDING: Final = re.compile(rf"\S {{{SPACES_MAX + 1}}}")


def is_in_sight(text: str, *, lines: bool = False) -> bool:
    """Return True if a person sees all of a text; a model or a tool may have written it."""
    return is_plain(text, blanks="\n" if lines else "") and _PADDING.search(text) is None
