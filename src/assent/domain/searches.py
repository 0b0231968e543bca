"""Options that a tool's search finds for a field, page by page."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final

from assent.domain import parameters
from assent.domain.fields import Option, option_check
from assent.domain.parameters import optional, settle


@dataclass(frozen=True, slots=True)
class Found:
    """Options that a search found; `cursor` is what it needs to find the next ones, if any."""

    options: Sequence[str | Option]
    _: KW_ONLY
    cursor: str | None = None

    def __post_init__(self) -> None:
        settle(self, _FOUND)


_FOUND: Final = {
    "options": parameters.several(option_check, tuple, "an option (text or Option) or several"),
    "cursor": optional(parameters.text),
}
