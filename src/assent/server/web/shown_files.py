"""Uploaded files as pages tell of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from assent.domain.file_fields import kind_words, size_text
from assent.domain.files import FileReference
from assent.server.pictures import is_drawable


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file as a page tells of it."""

    reference: FileReference

    @property
    def name(self) -> str:
        """Its name, cleaned when it was uploaded."""
        return self.reference.name

    @property
    def key(self) -> str:
        """Its digest, or the id of a sealed one."""
        return self.reference.key

    @property
    def facts(self) -> str:
        """Its kind and size in words."""
        return f"{kind_words(self.reference.kind)}, {size_text(self.reference.bytes)}"

    @property
    def is_sealed(self) -> bool:
        """True if only its tool reads it."""
        return self.reference.sealed is not None

    @property
    def is_drawable(self) -> bool:
        """True if the page can show a picture of it."""
        return not self.is_sealed and is_drawable(self.reference.kind, self.reference.bytes)


def shown_files(files: Iterable[FileReference]) -> list[ShownFile]:
    """Return files as a page tells of them."""
    return [ShownFile(each) for each in files]
