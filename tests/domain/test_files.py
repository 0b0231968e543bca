"""Kinds by content, names without tricks, and references that nobody can make up."""

import io
import unicodedata
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import Field, FieldType, File, UserInput, tool
from assent.domain.file_fields import size_text
from assent.domain.file_kinds import KindReader
from assent.domain.file_names import MAX_NAME_BYTES, MAX_NAME_CHARS, clean_name
from assent.domain.files import FileReference, reference_of
from assent.errors import InvalidAnswer, InvalidParameter, InvalidTool

GOOD = {"name": "a.png", "kind": "image/png", "bytes": 3, "sha256": "a" * 64}


def packed(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "x")
    return out.getvalue()


def packed_late(*names: str) -> bytes:
    """An archive whose first entry is large, as programs write them that add the list last."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), "x" * 9_000)
    return out.getvalue()


def within(content: bytes) -> bytes:
    """An archive that holds another as it is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.xlsx"), content)
    return out.getvalue()


def bomb() -> bytes:
    """Ten megabytes of nothing, ten kilobytes long."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("zeros"), bytes(10_000_000), zipfile.ZIP_DEFLATED)
    return out.getvalue()


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CONTENT_TYPES = "[Content_Types].xml"
ODT = "application/vnd.oasis.opendocument.text"
KINDS: list[tuple[bytes, str]] = [
    (b"\x89PNG\r\n\x1a\n....", "image/png"),
    (b"\xff\xd8\xff\xe0....", "image/jpeg"),
    (b"GIF89a....", "image/gif"),
    (b"RIFF....WEBPVP8 ", "image/webp"),
    (b"RIFF....WAVEfmt ", "audio/wav"),
    (b"XXXX....WEBP\x00\x00", "application/octet-stream"),
    (b"\x00\x00\x00\x20ftypheic", "image/heic"),
    (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
    (b"%PDF-1.7", "application/pdf"),
    (packed("a.txt"), "application/zip"),
    (bomb(), "application/zip"),
    (packed("[Content_Types].xml", "_rels/.rels", "word/document.xml"), WORD),
    (packed("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), SHEET),
    # As openpyxl and pandas write a sheet, and Google a document.
    (packed_late("docProps/app.xml", "xl/workbook.xml", "_rels/.rels", CONTENT_TYPES), SHEET),
    (packed_late("word/numbering.xml", "word/document.xml", "_rels/.rels", CONTENT_TYPES), WORD),
    (packed_late("a.txt", "xl/b.txt"), "application/zip"),
    (within(packed("[Content_Types].xml", "xl/workbook.xml")), "application/zip"),
    # A name that looks like a folder of Word makes no document.
    (packed("word/evil.exe"), "application/zip"),
    (packed("mimetype"), "application/zip"),
    (b"MZ\x90\x00", "application/x-msdownload"),
    (b"\x7fELF\x02", "application/x-elf"),
    (b"#!/bin/sh\nrm -rf /\n", "text/plain"),
    (b"<script>alert(1)</script>", "text/plain"),
    (b"<svg onload='x'/>", "text/plain"),
    ("Grüße, 你好\n".encode(), "text/plain"),
    ("\ufeffname,amount\n".encode(), "text/plain"),
    (b"\x1b[31mred\x1b[0m", "text/plain"),
    (b"BMI,weight\n24,80\n", "text/plain"),
    (b"MZ 7, Mainz\n", "text/plain"),
    (b"ID3 tags of all songs\n", "text/plain"),
    (b"GIF89a = 1; alert(1)", "image/gif"),
    (b"text\x00with a zero", "application/octet-stream"),
    (b"\xff\xfe\x41\x00", "application/octet-stream"),
    (b"half a letter \xc3", "application/octet-stream"),
    (b"", "application/octet-stream"),
    (b"\x00", "application/octet-stream"),
]


@pytest.mark.parametrize(("content", "kind"), KINDS)
@pytest.mark.parametrize("piece", [1, 7, 100_000])
def test_a_kind_is_what_the_bytes_are(content: bytes, kind: str, piece: int) -> None:
    reader = KindReader()
    for start in range(0, len(content), piece):
        reader.feed(content[start : start + piece])
    assert reader.kind() == kind


def test_an_open_document_says_what_it_is() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), ODT)
    reader = KindReader()
    reader.feed(out.getvalue())
    assert reader.kind() == ODT


@pytest.mark.parametrize(
    ("content", "wanted", "counts_as"),
    [
        (b"a,b\n", ["text/csv"], "text/csv"),
        (b"a,b\n", ["image/*", "text/csv", "text/plain"], "text/plain"),
        (b"a,b\n", ["text/*"], "text/plain"),
        (b' {"a": 1}', ["application/json"], "application/json"),
        (b"no json", ["application/json"], None),
        (b"<svg/>", ["image/svg+xml"], "image/svg+xml"),
        (b"<svg/>", ["image/*"], None),
        (b"<svg/>", [], "text/plain"),
        (b"GIF89a", ["image/*"], "image/gif"),
        (b"GIF89a", ["image/png"], None),
        (b"GIF89a", ["text/csv"], None),
        (b"MZ\x90\x00", ["application/pdf", "text/*"], None),
        (b"BMI,weight\n", ["text/csv"], "text/csv"),
        (b"BMI,weight\n", ["image/*"], None),
    ],
)
def test_a_file_counts_as_a_kind_that_is_wanted(
    content: bytes, wanted: list[str], counts_as: str | None
) -> None:
    reader = KindReader()
    reader.feed(content)
    assert reader.fits(wanted) == counts_as


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("Name;Straße\r\nJürgen;1,50 €\r\n".encode("cp1252"), ["text/csv"]),
        ("Name\tStraße\r\n".encode("utf-16"), ["text/csv"]),
        ("Name,Straße\n".encode("utf-16-be").join([b"\xfe\xff", b""]), ["image/*", "text/plain"]),
        ('{"a": "ü"}'.encode("cp1252"), ["application/json"]),
        ("Zażółć gęślą jaźń".encode("cp1250"), ["text/*"]),
        ("BMI,Größe\n".encode("cp1252"), ["text/csv"]),
        (("ü" * 5_000).encode("utf-16"), ["text/csv"]),
    ],
)
@pytest.mark.parametrize("piece", [1, 100_000])
def test_text_in_another_encoding_is_refused_with_what_to_do(
    content: bytes, wanted: list[str], piece: int
) -> None:
    reader = KindReader()
    for start in range(0, len(content), piece):
        reader.feed(content[start : start + piece])
    assert reader.fits(wanted) is None
    assert reader.is_unfit_text(wanted)


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"a,b\n", ["text/csv"]),
        ("Straße\n".encode(), ["image/*"]),
        ("Straße\n".encode("cp1252"), ["image/*"]),
        ("Straße\n".encode("cp1252"), ["application/json"]),
        ("Straße\n".encode("cp1252"), []),
        (b"text\x00with a zero \xfc", ["text/csv"]),
        (b"\xff\xfe\x00\x00\x41\x00", ["text/csv"]),
        (b"\xff\xfe\x00\xd8\x00\xd8", ["text/csv"]),
        (b"\x89PNG\r\n\x1a\n....", ["text/csv"]),
        (b"%PDF-1.7 \xe2\xe3", ["text/csv"]),
        (b"MZ\x90\x00\x03", ["text/csv"]),
        (b"GIF89a\xfc", ["text/csv"]),
        (b"", ["text/csv"]),
    ],
)
def test_nothing_else_is_taken_for_text_in_another_encoding(
    content: bytes, wanted: list[str]
) -> None:
    reader = KindReader()
    reader.feed(content)
    assert not reader.is_unfit_text(wanted)


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("March.pdf", "March.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\system32\\cmd.exe", "cmd.exe"),
        ("/", "file"),
        ("", "file"),
        ("..", "file"),
        (".bashrc", "bashrc"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("a\x00b\nc\x1b[31m.txt", "abc[31m.txt"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("console.txt", "console.txt"),
        ("a;rm -rf $HOME`x`|y.txt", "a_rm -rf _HOME_x__y.txt"),
        ("  .. spaced   out . .", "spaced out"),
        ("Gru\u0308ße.pdf", "Gr\u00fcße.pdf"),
        ("\ud800.txt", "txt"),
        ("😀" * 200 + ".png", "😀" * 59 + ".png"),
        ("x" * 500, "x" * 120),
        ("a." + "y" * 500, "a." + "y" * 118),
    ],
)
def test_a_name_is_one_that_any_system_takes(given: str, clean: str) -> None:
    assert clean_name(given) == clean


@given(st.text())
def test_every_name_is_clean_and_stays_so(given: str) -> None:
    clean = clean_name(given)
    assert clean == clean_name(clean)
    assert 0 < len(clean) <= MAX_NAME_CHARS
    assert len(clean.encode()) <= MAX_NAME_BYTES
    assert not any(unicodedata.category(char).startswith("C") for char in clean)
    assert not set(clean) & set('/\\:*?"<>|')
    assert clean not in (".", "..")


@pytest.mark.parametrize("length", [10, 1_000, 10_000, 1_000_000])
def test_a_long_name_takes_no_time(length: int) -> None:
    assert len(clean_name("a\u0301. /" * length)) <= MAX_NAME_CHARS
    assert len(clean_name("報" * length + ".pdf").encode()) <= MAX_NAME_BYTES


@pytest.mark.parametrize(
    "value",
    [
        None,
        0,
        "",
        {},
        [],
        "a" * 64,
        GOOD | {"more": 1},
        GOOD | {"name": "../a"},
        GOOD | {"name": ""},
        GOOD | {"kind": "png"},
        GOOD | {"kind": "image/*\n"},
        GOOD | {"bytes": -1},
        GOOD | {"bytes": True},
        GOOD | {"bytes": 1.5},
        GOOD | {"sha256": "A" * 64},
        GOOD | {"sha256": None},
        GOOD | {"sealed": "fil_1"},
        {name: fact for name, fact in GOOD.items() if name != "sha256"},
    ],
)
def test_only_an_exact_reference_is_one(value: Any) -> None:
    assert reference_of(value) is None
    with pytest.raises(InvalidAnswer):
        Field("f", type=FieldType.FILE).accept(value)


def test_a_reference_is_read_back() -> None:
    sealed = FileReference(name="k", kind="text/plain", bytes=1, sealed="fil_1")
    assert reference_of(GOOD) == FileReference(**GOOD)
    assert reference_of(sealed.to_json()) == sealed


@pytest.mark.parametrize(
    ("settings", "value", "words"),
    [
        ({"kinds": "application/pdf"}, GOOD, "by its content, no PDF"),
        ({"max_bytes": 2}, GOOD, "larger than 2 bytes"),
        ({}, [GOOD, GOOD | {"sha256": "b" * 64}], "at most one file"),
        ({"max_files": 2}, [GOOD, GOOD], "each file once"),
        ({"sealed": True}, GOOD, "again"),
    ],
)
def test_a_field_holds_references_to_its_settings(
    settings: dict[str, Any], value: Any, words: str
) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        Field("f", type=FieldType.FILE, **settings).accept(value)


def test_one_file_is_itself_and_several_are_a_list() -> None:
    assert Field("f", type=FieldType.FILE).accept([GOOD]) == GOOD
    assert Field("f", type=FieldType.FILE, kinds="image/*", max_files=2).accept(GOOD) == [GOOD]


@pytest.mark.parametrize(
    "settings",
    [
        {"type": "text", "kinds": "image/png"},
        {"type": "text", "max_files": 2},
        {"type": "text", "sealed": True},
        {"type": "text", "max_bytes": 5},
        {"type": "file", "default": GOOD},
        {"type": "file", "model_may_fill": True},
        {"type": "file", "pattern": "a"},
        {"type": "file", "options": ["a"]},
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidTool):
        Field("f", **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"kinds": "png"},
        {"kinds": ["image/png", 5]},
        {"kinds": "image/png; charset=x"},
        {"max_bytes": 0},
        {"max_bytes": 3_000_000_000},
        {"max_files": 0},
        {"max_files": 101},
        {"sealed": "yes"},
    ],
)
def test_settings_that_mean_nothing_are_refused_by_name(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match=next(iter(settings))):
        Field("f", type=FieldType.FILE, **settings)


def test_a_file_parameter_and_a_file_field_belong_together() -> None:
    async def read(paper: File) -> str:
        """Read."""
        return paper.name

    async def name(paper: str) -> str:
        """Name."""
        return paper

    form = UserInput("x", [Field("paper", type=FieldType.FILE)])
    with pytest.raises(InvalidTool, match="must be a file field"):
        tool(read)
    with pytest.raises(InvalidTool, match="annotate it as File"):
        tool(user_input=form)(name)


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1 kB"), (1_550_000, "1.6 MB")],
)
def test_sizes_are_said_as_people_say_them(size: int, words: str) -> None:
    assert size_text(size) == words
