import base64
import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.domain.cards import Blob, Text
from assent.presentation.blobs import blob_of, media_of
from assent.presentation.values import holds_blob, value_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
NOISE = random.Random(7).randbytes(400)


# requirement: D18
@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(PNG).decode(),
        base64.urlsafe_b64encode(PNG).decode().rstrip("="),
        base64.encodebytes(PNG).decode(),
        f"data:image/gif;base64,{base64.b64encode(PNG).decode()}",
    ],
    ids=["base64", "address-safe", "in lines", "data address"],
)
def test_bytes_are_known_by_size_hash_and_first_bytes(text: str) -> None:
    blob = blob_of(text)

    assert blob is not None
    assert (blob.size, blob.sha256) == (len(PNG), hashlib.sha256(PNG).hexdigest())
    assert blob.media == "image/png"
    assert blob.encoded == text
    assert blob.declared == ("image/gif" if text.startswith("data:") else "")


# requirement: D18
@pytest.mark.parametrize(
    "text",
    [base64.b64encode(NOISE).decode(), NOISE.hex(), "\x00\x01\x02\x03abcd" * 20],
    ids=["base64", "hex", "control characters"],
)
def test_bytes_of_no_known_kind_are_still_uninspectable(text: str) -> None:
    blob = blob_of(text)

    assert blob is not None
    assert blob.media == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 5_000,
        "1" * 5_000,
        "/home/ada/documents/reports/summary",
        hashlib.sha256(b"").hexdigest(),
        hashlib.sha512(b"").hexdigest(),
        "A plain text, of some length, with words in it. " * 20,
        "def f():\n\treturn 1\n" * 50,
        "data:text/plain,hello",
        "MZuv",
        "IDTheftProtectionService",
    ],
)
def test_what_people_can_read_is_text(text: str) -> None:
    assert blob_of(text) is None
    assert value_of(text) == Text(text)


@given(st.binary(min_size=120))
def test_what_was_encoded_is_what_is_hashed(data: bytes) -> None:
    blob = blob_of(f"data:;base64,{base64.b64encode(data).decode()}")

    assert blob is not None
    assert (blob.size, blob.sha256) == (len(data), hashlib.sha256(data).hexdigest())


@given(st.text(max_size=300))
def test_any_text_is_looked_at_without_trouble(text: str) -> None:
    blob = blob_of(text)

    assert blob is None or blob.encoded == text


def test_bytes_are_found_wherever_they_are() -> None:
    encoded = base64.b64encode(PNG).decode()

    assert holds_blob(value_of({"a": [{"b": encoded}]}))
    assert not holds_blob(value_of({"a": [{"b": "text"}]}))
    assert isinstance(value_of(encoded), Blob)


@pytest.mark.parametrize(
    ("data", "media"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x7fELF\x02", "application/x-elf"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
        (b"\x00\x00\x00\x18ftypmp42", "video/mp4"),
        (b"\x80\x04\x95", "application/x-python-pickle"),
        (b"hello", ""),
    ],
)
def test_first_bytes_tell_the_kind(data: bytes, media: str) -> None:
    assert media_of(data) == media
