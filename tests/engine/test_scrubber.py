import base64
import html
import io
import itertools
import json
import logging
import re
import string
import threading
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assent.domain.canonical import Json
from assent.engine.runs.scrubber import MASK, LogScrubber, Scrubber
from tests.timing import uncollected

# The machine may stall; how long an example takes is not what these tests are about.
unhurried = settings(deadline=None)

SECRET = "hunt'er2 \"&/é\\<x>\t+end"


def script(text: str) -> str:
    return json.dumps(text).replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


# How a text may come out of a tool, and what then remains of the secret's surroundings.
ENCODINGS: dict[str, tuple[Callable[[str], str], str]] = {
    "as it is": (str, "*"),
    "json": (json.dumps, '"*"'),
    "json with unicode": (lambda text: json.dumps(text, ensure_ascii=False), '"*"'),
    "json with slashes escaped": (lambda text: json.dumps(text).replace("/", r"\/"), '"*"'),
    "json in json": (lambda text: json.dumps(json.dumps(text)), r'"\"*\""'),
    "json in a script": (script, '"*"'),
    "json in a page's script": (lambda text: script(text).replace("'", r"\u0027"), '"*"'),
    "json with upper case escapes": (
        lambda text: re.sub(
            r"\\\\|\\u....", lambda m: m[0][:2] + m[0][2:].upper(), json.dumps(text)
        ),
        '"*"',
    ),
    "repr": (repr, "'*'"),
    "repr beside a quote": (lambda text: repr(text + "'"), r"'*\''"),
    "repr beside the other quote": (lambda text: repr('"' + text), "'\"*'"),
    "ascii": (ascii, "'*'"),
    "repr of bytes": (lambda text: repr(text.encode()), "b'*'"),
    "repr of an error in json": (
        lambda text: json.dumps(repr(ValueError(text))),
        "\"ValueError('*')\"",
    ),
    "html": (html.escape, "*"),
    "html without quotes": (lambda text: html.escape(text, quote=False), "*"),
    "repr in html": (lambda text: html.escape(repr(text)), "&#x27;*&#x27;"),
    "url path": (quote, "*"),
    "url component": (lambda text: quote(text, safe=""), "*"),
    "url of javascript": (lambda text: quote(text, safe="!*'()"), "*"),
    "url in lower case": (lambda text: re.sub("%..", lambda m: m[0].lower(), quote(text)), "*"),
    "url form": (quote_plus, "*"),
    "url query": (lambda text: urlencode({"q": text, "page": 2}), "q=*&page=2"),
    "hex": (lambda text: text.encode().hex(), "*"),
    "upper hex": (lambda text: text.encode().hex().upper(), "*"),
    "base64": (lambda text: base64.b64encode(text.encode()).decode(), "*"),
    "url base64": (lambda text: base64.urlsafe_b64encode(text.encode()).decode(), "*"),
    "unpadded base64": (lambda text: base64.b64encode(text.encode()).decode().rstrip("="), "*"),
    "basic auth": (lambda text: base64.b64encode(f"user:{text}".encode()).decode(), "dXNlcj*"),
    "basic auth with a longer name": (
        lambda text: base64.b64encode(f"users:{text}".encode()).decode(),
        "dXNlcnM6*",
    ),
}

# Disjoint alphabets: whatever remains of the secret in the output can be told from the rest.
SECRET_CHARS = "abcdefghijk0123456789"
secrets = st.text(alphabet=SECRET_CHARS, min_size=4, max_size=40)
any_secret = st.text(min_size=4).filter(lambda text: len(text.strip()) >= 4)
around = st.text(alphabet="XYZ .:{}", max_size=20)


def decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4))


class TestText:
    @pytest.mark.parametrize("name", ENCODINGS)
    def test_masks_a_secret_however_it_is_written(self, name: str) -> None:
        write, remains = ENCODINGS[name]
        scrubbed = Scrubber([SECRET]).text(f"before {write(SECRET)} after")
        assert scrubbed == f"before {remains} after".replace("*", MASK)

    @unhurried
    @given(secret=any_secret, before=st.text(), after=st.text())
    @example(secret="secret", before="", after="")
    @example(secret="]][[", before="]", after="[")
    @example(secret="a[se", before="a", after="")
    @example(secret="aaaa", before="a", after="aa")
    @example(secret="[secret]█", before="█", after="[secret]")
    def test_no_secret_remains_in_any_text(self, secret: str, before: str, after: str) -> None:
        assert secret not in Scrubber([secret]).text(before + secret + after)

    @unhurried
    @given(
        secret=any_secret,
        encoding=st.sampled_from(sorted(ENCODINGS)),
        before=around,
        after=around,
    )
    def test_no_written_secret_remains(
        self, secret: str, encoding: str, before: str, after: str
    ) -> None:
        written = ENCODINGS[encoding][0](secret)
        text = Scrubber([secret]).text(before + written + after)
        assert written not in text
        assert secret not in text

    @unhurried
    @given(secret=secrets, before=st.binary(max_size=9), after=st.binary(max_size=9))
    def test_nothing_of_a_secret_remains_in_longer_base64(
        self, secret: str, before: bytes, after: bytes
    ) -> None:
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(before + secret.encode() + after).decode()
            scrubbed = Scrubber([secret]).text(text)
            head, _, tail = scrubbed.partition(MASK)
            # All characters that carry at least one bit of the secret are gone.
            assert len(head) <= len(before) * 8 // 6
            assert len(tail.rstrip("=")) <= -(-len(after) * 8 // 6)

    @unhurried
    @given(texts=st.lists(secrets, min_size=2, max_size=5), text=st.text(alphabet=SECRET_CHARS))
    def test_of_several_secrets_none_remains(self, texts: list[str], text: str) -> None:
        scrubbed = Scrubber(texts).text(text.join(texts))
        assert not [secret for secret in texts if secret in scrubbed]

    def test_overlapping_secrets_leave_no_end_behind(self) -> None:
        assert Scrubber(["abcdef", "defghi"]).text("<abcdefghi>") == f"<{MASK}>"

    def test_a_secret_that_overlaps_itself_leaves_no_end_behind(self) -> None:
        assert Scrubber(["xyxy"]).text("<xyxyxy>") == f"<{MASK}>"

    def test_a_secret_within_another_does_not_save_the_longer_one(self) -> None:
        assert Scrubber(["pass", "password1"]).text("<password1>") == f"<{MASK}>"

    @unhurried
    @given(secret=any_secret, text=st.text())
    def test_scrubbing_twice_changes_nothing_more(self, secret: str, text: str) -> None:
        scrubber = Scrubber([secret])
        once = scrubber.text(text + secret + text)
        assert scrubber.text(once) == once

    def test_the_pasted_newline_around_a_secret_does_not_save_it(self) -> None:
        assert Scrubber([" hunter2\n"]).text("x hunter2,") == f"x {MASK},"

    def test_a_pasted_newline_does_not_save_it_in_base64_either(self) -> None:
        header = base64.b64encode(b"users:hunter2!").decode()
        assert Scrubber(["hunter2\n"]).text(header) == f"dXNlcnM6{MASK}E="

    def test_masks_a_repr_that_leaves_the_single_quote_alone(self) -> None:
        assert Scrubber(["it's\x01x"]).text(repr("it's\x01x")) == f'"{MASK}"'

    def test_each_line_of_a_key_is_a_secret(self) -> None:
        scrubber = Scrubber(["-----BEGIN-----\nMIIEvQ+x\r\nIBADANBg\n-----END-----\n"])
        assert scrubber.text("got IBADANBg\nand MIIEvQ%2Bx") == f"got {MASK}\nand {MASK}"

    @pytest.mark.parametrize("secret", ["7", "42", "abc"])
    def test_a_short_secret_is_masked_everywhere(self, secret: str) -> None:
        scrubber = Scrubber([secret])
        assert scrubber.text(f"x{secret}y") == f"x{scrubber.mask}y"
        assert secret not in scrubber.text(f"pin={secret}, {secret * 3}")

    @pytest.mark.parametrize("secret", ["42", "abc"])
    def test_a_short_secret_is_masked_in_basic_auth(self, secret: str) -> None:
        header = base64.b64encode(f"user:{secret}".encode()).decode()
        kept = Scrubber([secret]).text(header).partition(Scrubber([secret]).mask)[0]
        assert decoded(kept[: len(kept) // 4 * 4]) == b"user:"[: len(kept) // 4 * 3]
        assert header not in Scrubber([secret]).text(header)

    @pytest.mark.parametrize("values", [[], [""]])
    def test_without_secrets_everything_comes_back_as_it_is(self, values: list[str]) -> None:
        scrubber, text = Scrubber(values), "a text"
        value: Json = {"a": ["b"]}
        assert not scrubber
        assert scrubber.text(text) is text
        assert scrubber.json(value) is value
        assert scrubber.stream().feed(text) is text

    def test_a_text_without_secrets_comes_back_as_it_is(self) -> None:
        text = "nothing to see here"
        assert Scrubber(["hunter2"]).text(text) is text

    def test_time_grows_with_the_text_and_not_faster(self) -> None:
        scrubber = Scrubber(f"{letter}{SECRET}" for letter in "vwxyz")
        piece = string.printable * 100 + f"v{SECRET}"
        timings = []
        for size in (50, 400):
            with uncollected():
                start = time.thread_time()
                scrubber.text(piece * size)
                timings.append(time.thread_time() - start)
        # Eight times the text; quadratic work would take sixty-four times as long.
        assert timings[1] < timings[0] * 24 + 0.1

    def test_scrubbers_beside_each_other_act_as_one(self) -> None:
        both = Scrubber(["abcdef"], beside=[Scrubber(["defghi"])])
        assert both.text("<abcdefghi>") == f"<{MASK}>"


class TestJson:
    def test_masks_strings_keys_and_numbers_at_any_depth(self) -> None:
        value = {"a": ["x4711y", {"k4711": 4711, "f": 4711.5}], "n": None, "t": True, "i": 5}
        assert Scrubber(["4711"]).json(value) == {
            "a": [f"x{MASK}y", {f"k{MASK}": MASK, "f": f"{MASK}.5"}],
            "n": None,
            "t": True,
            "i": 5,
        }

    def test_keys_that_become_alike_stay_apart(self) -> None:
        scrubbed = Scrubber(["hunter2", "hunter3"]).json({"hunter2": 1, "hunter3": 2})
        assert scrubbed == {MASK: 1, MASK * 2: 2}

    def test_the_value_given_is_not_changed(self) -> None:
        value: Json = {"a": ["hunter2"]}
        Scrubber(["hunter2"]).json(value)
        assert value == {"a": ["hunter2"]}

    json_values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )

    @unhurried
    @given(value=json_values, secret=st.text(alphabet="pqrs", min_size=4))
    def test_no_secret_remains_in_any_value(self, value: object, secret: str) -> None:
        planted = {secret: [value, secret, {f"x{secret}": f"{secret}x"}]}
        scrubbed = Scrubber([secret]).json(planted)  # pyright: ignore[reportArgumentType]
        assert secret not in json.dumps(scrubbed)

    @unhurried
    @given(value=json_values)
    def test_a_value_without_secrets_stays_equal(self, value: object) -> None:
        scrubber = Scrubber(["no such text in here"])
        assert scrubber.json(value) == value  # pyright: ignore[reportArgumentType]


class TestError:
    def test_says_what_the_exception_says_without_the_secret(self) -> None:
        error = PermissionError("login with hunter2 failed")
        assert Scrubber(["hunter2"]).error(error) == f"login with {MASK} failed"

    def test_finds_the_secret_in_a_missing_key(self) -> None:
        assert Scrubber(["hun'ter\"2"]).error(KeyError("hun'ter\"2")) == f"'{MASK}'"

    def test_names_the_class_of_an_exception_that_says_nothing(self) -> None:
        assert Scrubber().error(TimeoutError()) == "TimeoutError"

    def test_survives_an_exception_that_cannot_be_shown(self) -> None:
        class Broken(Exception):
            def __str__(self) -> str:
                raise RuntimeError("hunter2")

        assert "hunter2" not in Scrubber(["hunter2"]).error(Broken())


def fed(scrubber: Scrubber, chunks: list[str]) -> str:
    stream = scrubber.stream()
    return "".join([*(stream.feed(chunk) for chunk in chunks), stream.flush()])


class TestStream:
    @unhurried
    @given(data=st.data())
    def test_pieces_come_out_as_the_whole_would(self, data: st.DataObject) -> None:
        # A tiny alphabet, so that secrets overlap themselves, each other and the pieces' edges.
        words = st.text(alphabet="abY=", min_size=1, max_size=6)
        values = data.draw(st.lists(words, min_size=1, max_size=3))
        needles = [needle.text for needle in Scrubber(values).needles]
        pieces = st.sampled_from(needles) | st.text(alphabet="abY=WJh", max_size=4)
        chunks = data.draw(st.lists(pieces, max_size=12))
        cuts = data.draw(st.lists(st.integers(0, len("".join(chunks))), max_size=12))
        text = "".join(chunks)
        edges = [0, *sorted(cuts), len(text)]
        recut = [text[start:end] for start, end in itertools.pairwise(edges)]
        assert fed(Scrubber(values), recut) == Scrubber(values).text(text)

    @pytest.mark.parametrize("name", ENCODINGS)
    def test_a_secret_that_arrives_letter_by_letter_is_masked(self, name: str) -> None:
        text = f"before {ENCODINGS[name][0](SECRET)} after"
        scrubber = Scrubber([SECRET])
        assert fed(scrubber, list(text)) == scrubber.text(text)

    def test_at_no_time_is_a_part_of_the_secret_out(self) -> None:
        stream = Scrubber(["abcdefgh"]).stream()
        shown = "".join(stream.feed(letter) for letter in "x: abcdefg")
        assert not set(shown) & set("abcdefg")
        assert shown + stream.feed("h!") + stream.flush() == f"x: {MASK}!"

    def test_text_that_begins_no_secret_is_not_held_for_long(self) -> None:
        stream = Scrubber(["k" * 1000]).stream()
        assert stream.feed("three words only") == "three words onl"

    def test_what_turns_out_to_be_harmless_is_shown(self) -> None:
        stream = Scrubber(["hunter2"]).stream()
        assert stream.feed("hunter") + stream.feed("s") + stream.flush() == "hunters"

    def test_after_flush_a_stream_starts_anew(self) -> None:
        stream = Scrubber(["hunter2"]).stream()
        first = stream.feed("hunter2") + stream.flush()
        second = stream.feed("er2 hunter2") + stream.flush()
        assert (first, second) == (MASK, f"er2 {MASK}")


class Log:
    """A logger whose only handler writes to memory through the filter."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.scrub = LogScrubber()
        self.records: list[logging.LogRecord] = []
        handler = logging.StreamHandler(self.out)
        handler.addFilter(self.scrub)
        handler.addFilter(lambda record: not self.records.append(record))
        self.logger = logging.Logger("test", logging.DEBUG)  # noqa: LOG001  # not shared
        self.logger.addHandler(handler)

    @property
    def text(self) -> str:
        return self.out.getvalue()


class TestLogScrubber:
    # conformance: 138
    def test_masks_the_message_and_its_arguments_while_a_secret_is_in_use(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            log.logger.info("hunter2 and %s", "hunter2")
        assert log.text == f"{MASK} and {MASK}\n"
        assert log.records[0].args == (MASK,)

    def test_masks_a_secret_that_only_formatting_puts_together(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            log.logger.info("%s%d", "hunter", 2)
        assert log.text == f"{MASK}\n"

    def test_masks_a_number(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["4711"])):
            log.logger.info("pin %d", 4711)
        assert log.text == f"pin {MASK}\n"

    def test_masks_named_arguments_and_objects(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            log.logger.info("%(a)s", {"a": ["hunter2"], "unused": {"hunter2"}})
            log.logger.error("failed: %s", ValueError("hunter2"))
        assert log.text == f"['{MASK}']\nfailed: {MASK}\n"
        assert "hunter2" not in repr([vars(record) for record in log.records])

    def test_masks_tracebacks_and_drops_their_frames(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            try:
                raise ValueError("hunter2")
            except ValueError:
                log.logger.exception("failed")
        assert "hunter2" not in log.text
        assert f"ValueError: {MASK}" in log.text
        assert log.records[0].exc_info is None

    def test_masks_the_stack(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            log.logger.info("where", stack_info=True)  # this line is in it: hunter2
        assert "hunter2" not in log.text
        assert "Stack" in log.text

    def test_masks_extra_fields(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["4711"])):
            log.logger.info("x", extra={"body": {"pin": 4711}, "url": "/?pin=4711", "n": 5})
        fields = vars(log.records[0])
        assert (fields["body"], fields["url"], fields["n"]) == ({"pin": MASK}, f"/?pin={MASK}", 5)

    def test_keeps_the_shape_of_arguments_that_formatters_unpack(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            log.logger.info('%s - "%s %s" %d', "::1", "GET", "/?key=hunter2", 200)
        assert log.records[0].args == ("::1", "GET", f"/?key={MASK}", 200)

    def test_a_record_that_cannot_be_shown_is_withheld(self) -> None:
        class Broken:
            def __repr__(self) -> str:
                raise RuntimeError("hunter2")

        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            log.logger.info("hunter2", extra={"broken": Broken(), "url": "hunter2"})
            log.logger.info(*("hunter2 %s %s", "too few"))
        assert log.text.count("log record withheld") == 2
        assert "hunter2" not in log.text + repr([vars(record) for record in log.records])

    def test_reaches_threads_that_a_tool_started_by_itself(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber(["hunter2"])):
            thread = threading.Thread(target=log.logger.info, args=("hunter2",))
            thread.start()
            thread.join()
        assert log.text == f"{MASK}\n"

    def test_one_run_that_ends_does_not_uncover_another(self) -> None:
        log, scrubber = Log(), Scrubber(["hunter2"])
        with log.scrub.hiding(scrubber):
            with log.scrub.hiding(scrubber), log.scrub.hiding(Scrubber(["other-one"])):
                log.logger.info("hunter2 other-one")
            log.logger.info("hunter2 other-one")
        assert log.text == f"{MASK} {MASK}\n{MASK} other-one\n"

    def test_leaves_records_alone_when_no_secret_is_in_use(self) -> None:
        log = Log()
        with log.scrub.hiding(Scrubber()):
            try:
                raise ValueError("x")
            except ValueError:
                log.logger.exception("%s", "hunter2")
        assert log.records[0].args == ("hunter2",)
        assert log.records[0].exc_info is not None
        assert log.text.startswith("hunter2\n")

    def test_ends_also_when_the_tool_raises(self) -> None:
        log = Log()
        with pytest.raises(ValueError, match="x"), log.scrub.hiding(Scrubber(["hunter2"])):
            raise ValueError("x")
        log.logger.info("hunter2")
        assert log.text == "hunter2\n"
