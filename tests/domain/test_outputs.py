"""Which outputs are content blocks, and what is read from them."""

from typing import Any

import pytest

from assent.domain.messages import MediaBlock, TextBlock
from assent.domain.outputs import blocks_of, is_content

TEXT: Any = {"type": "input_text", "text": "Here:"}
URL = "https://e.test/cat"


def image(media_type: str = "image/png", **source: str) -> MediaBlock:
    return MediaBlock(type="image", media_type=media_type, **source)


def file(media_type: str = "application/octet-stream", **source: str) -> MediaBlock:
    return MediaBlock(type="file", media_type=media_type, **source)


# conformance: 83
@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"type": "input_text", "text": "a"}, TextBlock(text="a")),
        ({"type": "input_image", "image_url": URL}, image(url=URL)),
        (
            {"type": "input_image", "url": URL, "media_type": "image/webp"},
            image("image/webp", url=URL),
        ),
        ({"type": "input_image", "data": "aGk="}, image(data="aGk=")),
        (
            {"type": "input_image", "image_url": "data:image/gif;base64,aGk="},
            image("image/gif", data="aGk="),
        ),
        ({"type": "input_image", "url": URL, "data": "aGk="}, image(data="aGk=")),
        (
            {"type": "input_file", "file_url": URL, "media_type": "application/pdf"},
            file("application/pdf", url=URL),
        ),
        (
            {"type": "input_file", "file_data": "data:application/pdf;base64,aGk="},
            file("application/pdf", data="aGk="),
        ),
        (
            {"type": "input_file", "data": "data:text/plain;charset=utf-8;base64,aGk="},
            file("text/plain", data="aGk="),
        ),
        (
            {"type": "input_file", "data": "aGk=", "media_type": "Text/CSV; header=yes"},
            file("text/csv", data="aGk="),
        ),
        ({"type": "input_file", "data": "aGk="}, file(data="aGk=")),
        ({"type": "input_file", "data": "aGk=", "media_type": "nonsense"}, file(data="aGk=")),
        ({"type": "input_file", "data": "aGk=", "media_type": "a/b\nc"}, file(data="aGk=")),
        ({"type": "input_file", "data": "aGk=", "media_type": 5}, file(data="aGk=")),
    ],
)
def test_a_well_formed_block_is_read_as_one(given: Any, read: object) -> None:
    assert is_content([TEXT, given])
    assert blocks_of([TEXT, given]) == (TextBlock(text="Here:"), read)


# conformance: 83
@pytest.mark.parametrize(
    "given",
    [
        {"type": "input_text"},
        {"type": "input_text", "text": 5},
        {"type": "input_image"},
        {"type": "input_image", "image_url": {"url": URL}},
        {"type": "input_image", "image_url": 5},
        {"type": "input_image", "image_url": ""},
        {"type": "input_image", "image_url": "cat.png"},
        {"type": "input_image", "image_url": "file:///etc/passwd"},
        {"type": "input_image", "data": 5},
        {"type": "input_image", "data": ""},
        {"type": "input_image", "data": " "},
        {"type": "input_image", "image_url": "data:image/svg+xml,%3Csvg/%3E"},
        {"type": "input_image", "image_url": "data:image/png;base64,"},
        {"type": "input_file", "data": "data:text/plain,hello"},
        {"type": "input_file", "file_id": "file-1"},
        {"type": ["input_text"], "text": "a"},
        {"type": "video", "url": URL},
        {"text": "a"},
        "input_text",
        None,
    ],
    ids=str,
)
def test_a_list_with_anything_else_in_it_is_json(given: Any) -> None:
    assert not is_content([TEXT, given])


# conformance: 83
@pytest.mark.parametrize("given", [[], TEXT, "input_text", None, ({"type": "input_text"},)])
def test_what_is_no_list_of_blocks_is_json(given: Any) -> None:
    assert not is_content(given)
