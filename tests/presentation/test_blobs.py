import base64
import hashlib
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.domain.canonical import Json
from assent.domain.cards import Blob, Items, Number, Text
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


def _strewn(text: str, between: str, each: int) -> str:
    return between.join(text[start : start + each] for start in range(0, len(text), each))


ENCODED = base64.b64encode(NOISE).decode()


# requirement: D18
@pytest.mark.parametrize(
    "text",
    [
        _strewn(ENCODED, " ", 100),
        _strewn(ENCODED, ".", 60),
        json.dumps(ENCODED),
        json.dumps({"data": ENCODED}),
        base64.a85encode(NOISE).decode(),
        base64.b85encode(NOISE).decode(),
    ],
    ids=["blanks", "dots", "quoted", "in an object", "ascii85", "base85"],
)
def test_what_is_strewn_in_or_around_does_not_make_bytes_a_text(text: str) -> None:
    blob = blob_of(text)

    assert blob is not None
    assert blob.encoded == text


# requirement: D18
@pytest.mark.parametrize("each", [150, 40])
def test_bytes_in_pieces_are_bytes(each: int) -> None:
    pieces = _strewn(ENCODED, " ", each).split()

    shown = value_of(["a name", *pieces, 7])
    assert isinstance(shown, Items)
    kinds = [type(item) for item in shown.items]
    assert kinds == [Text, *[Blob] * (len(pieces) - 1), kinds[-2], Number]
    assert holds_blob(shown)


@pytest.mark.parametrize(
    "texts",
    [
        ["/srv/data/customers/2026/november/" + str(n) for n in range(30)],
        [hashlib.sha256(bytes([n])).hexdigest() for n in range(20)],
        [f"{name}.Lovelace@example.com" for name in ("Ada", "Bob", "Cyd", "Dan", "Eve", "Fay")],
    ],
    ids=["paths", "digests", "addresses"],
)
def test_a_list_of_what_people_can_read_is_a_list(texts: list[str]) -> None:
    assert not holds_blob(value_of(list[Json](texts)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 5_000,
        (
            "/srv/data/customers/2026/november/reports/quarterly/final-version/approved-by-management/"
            "signed/archive/2026-11-16T07-00-00Z/Summary_of_Results_v12_FINAL_reviewed.csv.gz"
        ),
        (
            "https://example.com/path/to/some/Resource?first=1&second=abcDEF&third=Hello%20World"
            "&utm_source=newsletter&utm_medium=email&utm_campaign=Spring_Sale_2026&page=12"
        ),
        (
            "SELECT a.id,b.name,COUNT(*)AS n FROM accounts a JOIN balances b ON a.id=b.account_id "
            "WHERE a.status='ACTIVE' AND b.amount>1000 GROUP BY a.id HAVING COUNT(*)>5 LIMIT 100;"
        ),
        (
            "function f(a,b){return a.map(x=>x*b).filter(Boolean).reduce((s,v)=>s+v,0)};const Z=f("
            "[1],4);window.QK=Z;if(Z>10){console.log('Yes',Z)}else{throw Error('No'+Z)};export{f}"
        ),
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
