"""The terms of a deployment about files: how long they are kept, and who looks at uploads."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from assent.domain.files import ScannedFile

KEEP: Final = timedelta(days=30)
SCAN_WITHIN: Final = timedelta(seconds=60)
# None or True lets the file in; False refuses it, and so does a text, which people are told.
ScanVerdict = bool | str | None
Scan = Callable[[ScannedFile], ScanVerdict | Awaitable[ScanVerdict]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTerms:
    """How long files are kept after their call is settled, and the hook that looks at uploads."""

    keep: timedelta | None = KEEP
    scan: Scan | None = None
    scan_within: timedelta = SCAN_WITHIN
