"""What a surface may show of a card, and what it did show."""

import unicodedata
from dataclasses import dataclass

from assent.domain.canonical import digest
from assent.domain.cards import Choice

# Raise it whenever the same card gives another text; what counts as printable is Unicode's say.
RENDERER_VERSION = f"1/unicode-{unicodedata.unidata_version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one field of a surface has room for; None where there is no limit."""

    characters: int | None = None
    items: int | None = None


UNLIMITED = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A card as one surface shows it, and the choices it may offer there.

    `complete` is false where a field was cut; see `choices` for what that leaves to offer.
    """

    text: str
    complete: bool
    choices: tuple[Choice, ...]
    renderer: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text, to record what a decider was shown."""
        return digest(self.text)
