"""Pictures of uploaded images, drawn anew: what a browser is sent was encoded here.

Pillow is optional, and loaded for the first picture; without it none is shown.
"""

import asyncio
import io
from collections.abc import AsyncGenerator
from importlib.util import find_spec
from typing import Any, Final

from assent.errors import NoPicture

# Of a compressed image, and of what it unfolds to.
MAX_BYTES: Final = 25_000_000
MAX_PIXELS: Final = 40_000_000
# Of kinds whose decoders hold several copies, and of images for print.
_FEWER: Final = {"WEBP": 10_000_000, "TIFF": 20_000_000}
_CMYK_PIXELS: Final = 30_000_000
# Of a JPEG that appears step by step: each goes over all pixels again, and may take a few bytes.
# Cameras and programs make about ten.
MAX_SCANS: Final = 100
_SCAN: Final = b"\xff\xda"
EDGE: Final = 1_024
# How many pixels in a row are left for one of the picture.
_THINNED: Final = 2
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_KINDS: Final = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"}
)
_STEPWISE: Final = ("JPEG", "MPO")
_ORIENTATION: Final = 0x0112
# What puts an image upright, by its orientation; those of `PIL.Image.Transpose`.
_TURNS: Final = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}


def can_draw() -> bool:
    """Return True if Pillow is installed."""
    return find_spec("PIL") is not None


def is_drawable(kind: str, size: int) -> bool:
    """Return True if a picture of such a file is worth trying."""
    return kind in _KINDS and size <= MAX_BYTES and can_draw()


class Pictures:
    """Draws one picture at a time: 40 million pixels take up to 250 MB while they are drawn."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def draw(self, content: AsyncGenerator[bytes]) -> tuple[bytes, str]:
        """Return a small picture and its kind; raises `NoPicture`."""
        if not can_draw():
            raise NoPicture("Pillow is not installed (pip install 'assent[files]')")
        # Before it is read: those that wait would hold all of their files meanwhile.
        async with self._turn:
            data = bytearray()
            async for piece in content:
                data += piece
                if len(data) > MAX_BYTES:
                    raise NoPicture("it is too large")
            return await asyncio.to_thread(_drawn, data)


def _drawn(data: bytearray) -> tuple[bytes, str]:
    from PIL import Image

    try:
        # Reads the head only: its size is known before anything unfolds.
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            width, height = image.size
            usual = _CMYK_PIXELS if image.mode == "CMYK" else MAX_PIXELS
            most = _FEWER.get(str(image.format), usual)
            if width * height > most or min(width, height) < 1:
                raise NoPicture(f"it has {width:,} × {height:,} pixels")
            if image.format in _STEPWISE and data.count(_SCAN) > MAX_SCANS:
                raise NoPicture(f"it has more than {MAX_SCANS} scans")
            # Decodes a large JPEG at a fraction of its size.
            image.draft("RGB", (EDGE, EDGE))
            return _encoded(image)
    except NoPicture:
        raise
    except Image.DecompressionBombError:
        raise NoPicture("it has too many pixels") from None
    except Exception as error:  # noqa: BLE001 - a decoder may raise anything at a hostile file
        raise NoPicture(f"it cannot be read as an image ({type(error).__name__})") from None


def _encoded(image: Any) -> tuple[bytes, str]:
    image.load()
    turn = image.getexif().get(_ORIENTATION)
    # Fewer pixels first: whatever is done to all of them takes as much memory again.
    few = _thinned(image)
    if turn in _TURNS:
        few = few.transpose(_TURNS[turn])
    clear = "A" in few.getbands() or "transparency" in few.info
    small = few.convert("RGBA" if clear else "RGB")
    small.thumbnail((EDGE, EDGE))
    # Only the pixels: no profile, no place, no comment.
    plain = small.copy()
    plain.info = {}
    out = io.BytesIO()
    plain.save(out, "PNG" if clear else "JPEG", **({} if clear else {"quality": 85}))
    return out.getvalue(), "image/png" if clear else "image/jpeg"


def _thinned(image: Any) -> Any:
    """Return an image of few pixels, some of those that are there; the rest is made of them."""
    from PIL import Image

    over = max(image.size) / (EDGE * _THINNED)
    if over <= 1:
        return image
    width, height = (max(1, int(edge / over)) for edge in image.size)
    return image.resize((width, height), Image.Resampling.NEAREST)
