"""Addresses of e-mail, of pages and of telephones: what counts as one, and what is refused."""

from typing import Any

import pytest

from assent import Field
from assent import FieldType as T
from assent.errors import InvalidAnswer
from assent.testing.hostile import DECEPTIONS, is_unseen


def said_to(field: Field, value: object) -> Any:
    """Return the value of an answer, or "refused"."""
    try:
        return field.accept(value)
    except InvalidAnswer as error:
        [message] = error.errors.values()
        assert len(message) < 100
        return "refused"


@pytest.mark.parametrize(
    "text", ["a@b.co", " ada.l+x@mail.example.com ", "用户@例え.jp", "a@bücher.de"]
)
def test_an_address_of_e_mail_is_kept_without_the_blanks_around_it(text: str) -> None:
    assert Field("x", type=T.EMAIL).accept(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "ada",
        "ada@",
        "@example.com",
        "ada@localhost",
        "Ada <ada@example.com>",
        "a@b.co, c@d.co",
        "a@b.co\nBcc: eve@evil.test",
        "a b@c.de",
        ".a@b.co",
        "a..b@c.de",
        "a@-b.co",
        "a@b..co",
        "a@1.2.3.4",
        "a@ex\u202eample.com",
        "a\u200b@example.com",
        "x" * 65 + "@example.com",
        "a@" + "b" * 64 + ".com",
        "a@" + "b.c" * 10_000,
        0,
        {},
        [],
        None,
        True,
    ],
)
def test_what_is_no_address_of_e_mail_is_refused(text: object) -> None:
    assert said_to(Field("x", type=T.EMAIL, max_length=100_000), text) == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com",
        "http://localhost:8000/a?b=c#d",
        "https://[::1]/x",
        "https://1.2.3.4/",
        "https://münchen.example/straße",
        "HTTPS://EXAMPLE.COM/",
    ],
)
def test_an_address_of_a_page_is_kept_as_it_was_written(text: str) -> None:
    assert Field("x", type=T.URL).accept(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "example.com",
        "//example.com",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://example.com",
        "https://",
        "https:///x",
        "https://bank.example@evil.test/",
        "https://user:pass@example.com/",
        "https://bank.example\\@evil.test/",
        "https://exa mple.com/",
        "https://example.com:99999/",
        "https://[::1/",
        "https://exam\u202eple.com/",
        "https://-a.example/",
        "https://" + "a" * 3_000,
        7,
        {},
        None,
    ],
)
def test_an_address_that_could_lead_elsewhere_is_refused(text: object) -> None:
    assert said_to(Field("x", type=T.URL), text) == "refused"


def test_a_field_can_name_other_schemes() -> None:
    field = Field("x", type=T.URL, schemes=["ssh", "https"])

    assert field.accept("ssh://host.example/repo") == "ssh://host.example/repo"
    with pytest.raises(InvalidAnswer, match="ssh:// or https://"):
        field.accept("http://host.example/")


@pytest.mark.parametrize(
    ("text", "number"),
    [("+49 30 123-4567", "+49301234567"), ("+1 (415) 555.2671", "+14155552671")],
)
def test_a_telephone_number_is_a_plus_sign_and_digits(text: str, number: str) -> None:
    assert Field("x", type=T.PHONE).accept(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "030 1234567",
        "+49 (0)30 1234567",
        "+49 ( 0 ) 30 1234567",
        "+0123456789",
        "+49",
        "+" + "1" * 16,
        "+٤٩٣٠١٢٣٤٥٦٧",
        "+49a",
        1,
        {},
    ],
)
def test_a_number_that_nobody_abroad_could_dial_is_refused(text: object) -> None:
    assert said_to(Field("x", type=T.PHONE), text) == "refused"


@pytest.mark.parametrize("kind", ["email", "url", "phone", "country", "time", "date", "consent"])
def test_nothing_that_is_accepted_hides_something(kind: Any) -> None:
    field = Field("x", type=kind)
    taken = {said_to(field, each) for each in DECEPTIONS.values()}

    assert "refused" in taken
    assert not any(map(is_unseen, "".join(taken)))
