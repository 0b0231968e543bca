"""Pictures of uploaded images: drawn anew, bounded before they unfold, and never a way in."""

import asyncio
import io
import struct
import subprocess
import sys
import zlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image, ImageOps

from assent import Agent, Assent, Person
from assent.domain.people import SYSTEM
from assent.errors import NoPicture
from assent.server import create_app
from assent.server.pictures import EDGE, Pictures, is_drawable
from assent.testing import ScriptedModel


async def content(data: bytes) -> AsyncGenerator[bytes]:
    for start in range(0, len(data), 65_536):
        yield data[start : start + 65_536]


def image(
    kind: str, size: tuple[int, int] = (40, 30), mode: str = "RGB", **options: object
) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, "red").save(out, kind, **options)
    return out.getvalue()


def huge() -> bytes:
    """The head of an image of 50,000 × 50,000: a few bytes that would be ten gigabytes."""
    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 6, 0, 0, 0)
    check = struct.pack(">I", zlib.crc32(b"IHDR" + head))
    body = b"\0\0\0\0IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + b"IHDR" + head + check + body


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
async def test_every_kind_becomes_one_that_we_encoded(kind: str) -> None:
    drawn, media = await Pictures().draw(content(image(kind)))
    with Image.open(io.BytesIO(drawn)) as found:
        assert found.size == (40, 30)
        assert media == f"image/{str(found.format).lower()}"
        assert found.format in ("PNG", "JPEG")


async def test_nothing_but_pixels_is_left() -> None:
    exif = Image.Exif()
    exif[0x010E] = "canary in the description"
    given = image("JPEG", exif=exif, comment=b"canary in a comment")
    drawn, _ = await Pictures().draw(content(given + b"<script>canary behind the end</script>"))
    assert b"canary" in given
    assert b"canary" not in drawn


async def test_a_photo_that_appears_step_by_step_is_drawn() -> None:
    assert (await Pictures().draw(content(unfolding(5))))[1] == "image/jpeg"


async def test_an_image_that_waits_for_its_turn_is_not_yet_in_memory() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    read: list[str] = []
    pictures = Pictures()

    async def slow() -> AsyncGenerator[bytes]:
        begun.set()
        await go_on.wait()
        yield image("PNG")

    async def other() -> AsyncGenerator[bytes]:
        read.append("other")
        yield image("PNG")

    async with asyncio.TaskGroup() as group:
        group.create_task(pictures.draw(slow()))
        await begun.wait()
        waiting = group.create_task(pictures.draw(other()))
        for _ in range(10):
            await asyncio.sleep(0)
        early = list(read)
        go_on.set()
        await waiting

    assert (early, read) == ([], ["other"])


async def test_a_large_image_is_made_small() -> None:
    drawn, _ = await Pictures().draw(content(image("PNG", (3_000, 1_000))))
    with Image.open(io.BytesIO(drawn)) as found:
        assert found.size == (EDGE, EDGE // 3)


def grey(picture: Image.Image, x: float, y: float) -> float:
    found: Any = picture.convert("L").getpixel((int(picture.width * x), int(picture.height * y)))
    return float(found)


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF"])
async def test_an_image_is_put_upright(kind: str, turn: int) -> None:
    """By its orientation, before and after it is made small, as a browser puts it."""
    exif = Image.Exif()
    exif[0x0112] = turn
    corner = Image.new("RGB", (2_400, 1_600), "white")
    corner.paste("black", (0, 0, 1_200, 800))
    out = io.BytesIO()
    corner.save(out, kind, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(out.getvalue())))
    drawn, _ = await Pictures().draw(content(out.getvalue()))
    with Image.open(io.BytesIO(drawn)) as found:
        width, height = found.size
        assert (width > height) is (upright.width > upright.height)
        for x in (0.25, 0.75):
            for y in (0.25, 0.75):
                assert abs(grey(found, x, y) - grey(upright, x, y)) < 20


SMALL: dict[str, Any] = {
    "JPEG": {"progressive": True, "subsampling": 0},
    "WEBP": {"lossless": True, "method": 0},
    "TIFF": {"compression": "tiff_deflate"},
}
MEASURED = """
import sys
from pathlib import Path
from PIL import Image, ImageOps, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin
from assent.server.pictures import _drawn
def most():
    [line] = [l for l in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in l]
    return int(line.split()[1])
data = sys.stdin.buffer.read()
before = most()
_drawn(data)
print(most() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells of memory")
@pytest.mark.parametrize(
    ("kind", "mode", "size"),
    [
        ("PNG", "RGB", (6_300, 6_300)),
        ("JPEG", "RGB", (6_300, 6_300)),
        ("JPEG", "CMYK", (5_470, 5_470)),
        ("PNG", "LA", (6_300, 6_300)),
        ("TIFF", "RGBA", (4_400, 4_400)),
        ("WEBP", "RGBA", (3_160, 3_160)),
    ],
)
def test_the_largest_picture_takes_a_quarter_of_a_gigabyte(
    kind: str, mode: str, size: tuple[int, int]
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 5
    out = io.BytesIO()
    Image.new(mode, size).save(out, kind, exif=exif, **SMALL.get(kind, {}))
    measured = subprocess.run(
        [sys.executable, "-c", MEASURED], input=out.getvalue(), capture_output=True, check=True
    )
    assert int(measured.stdout) < 280_000


def unfolding(scans: int) -> bytes:
    """A JPEG whose every further scan, of some 80 bytes, goes over all of its pixels again."""
    data = image("JPEG", (5_000, 5_000), "L", progressive=True)
    last = data.rindex(b"\xff\xda")
    return data[:-2] + data[last:-2] * scans + data[-2:]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (unfolding(5_000), "scans"),
        (image("WEBP", (4_000, 3_000)), "4,000 × 3,000 pixels"),
        (image("TIFF", (5_000, 5_000), "1"), "5,000 × 5,000 pixels"),
        (image("JPEG", (6_300, 6_300), "CMYK"), "6,300 × 6,300 pixels"),
        (huge(), "too many pixels"),
        (image("PNG", (7_000, 6_000)), "7,000 × 6,000 pixels"),
        (b"", "cannot be read"),
        (b"\x89PNG\r\n\x1a\n", "cannot be read"),
        (image("PNG")[:-30], "cannot be read"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "cannot be read"),
        (b"%PDF-1.7", "cannot be read"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "cannot be read"),
    ],
)
async def test_what_cannot_be_drawn_is_said(data: bytes, words: str) -> None:
    with pytest.raises(NoPicture, match=words):
        await Pictures().draw(content(data))


@pytest.mark.parametrize(
    ("kind", "size", "drawable"),
    [
        ("image/png", 1, True),
        ("image/png", 30_000_000, False),
        ("image/svg+xml", 1, False),
        ("image/heic", 1, False),
        ("application/pdf", 1, False),
    ],
)
def test_only_images_of_some_size_are_tried(kind: str, size: int, drawable: bool) -> None:
    assert is_drawable(kind, size) is drawable


async def test_only_the_picture_that_is_drawn_is_held_in_memory() -> None:
    held, most = 0, 0
    pictures = Pictures()

    async def file() -> AsyncGenerator[bytes]:
        nonlocal held, most
        held += 1
        most = max(most, held)
        await asyncio.sleep(0)
        yield b"no picture"
        await asyncio.sleep(0)
        held -= 1

    drawn = await asyncio.gather(*(pictures.draw(file()) for _ in range(5)), return_exceptions=True)
    assert [type(each) for each in drawn] == [NoPicture] * 5
    assert most == 1


async def statuses_of_pictures_asked_for_at_once() -> list[int]:
    """Those of a service of its own, whose one picture is asked for several times."""
    ada = Person("ada", roles=frozenset({"requester"}))
    model = ScriptedModel(["A red one."])
    async with Assent("sqlite:///:memory:", agents=Agent("agent", model=model)) as assent:
        await assent.people.add(ada, by=SYSTEM)
        _, key = await assent.people.issue_key("ada", by=SYSTEM)
        sent = await assent.files.attach(image("PNG", (3_000, 2_000)), by=ada, name="a.png")
        turn = await assent.send("agent", "What is this?", by=ada, files=sent)
        path = f"/chat/{turn.conversation_id}/files/{sent.sha256}/picture"
        async with httpx.AsyncClient(
            base_url="http://127.0.0.1",
            headers={"authorization": f"Bearer {key}"},
            transport=httpx.ASGITransport(create_app(assent), raise_app_exceptions=False),
        ) as client:
            came = await asyncio.gather(*(client.get(path) for _ in range(4)))
    return [each.status_code for each in came]


def test_services_in_several_event_loops_of_a_process_draw_pictures() -> None:
    assert asyncio.run(statuses_of_pictures_asked_for_at_once()) == [200] * 4
    assert asyncio.run(statuses_of_pictures_asked_for_at_once()) == [200] * 4
