"""Cards for the tests of this folder, and how to read what a renderer made of them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from assent.domain.canonical import Json
from assent.domain.cards import Blank, Card, Choice, Condition, Text, TextPreview, Verb
from assent.domain.fields import Field
from assent.domain.lifecycle import RequestKind
from assent.domain.tools import Hint, Risk
from assent.presentation import plain, terminal
from assent.presentation.rendering import Rendered
from assent.presentation.values import entries_of

NOW = datetime(2025, 11, 15, 20, 24, tzinfo=UTC)
STYLE = re.compile(r"\x1b\[[0-9;]*m")

CHOICES = (
    Choice(verb=Verb.APPROVE, effect="send_mail runs once, with exactly these arguments"),
    Choice(verb=Verb.EDIT, effect="change the arguments"),
    Choice(verb=Verb.REJECT, effect="it will not run"),
)


@dataclass(frozen=True)
class Surface:
    """A renderer with its settings, as the shared tests take it."""

    name: str
    render: Callable[..., Rendered]
    width: int | None = None

    def __call__(self, card: Card, **more: Any) -> Rendered:
        return self.render(card, now=NOW, **more)


SURFACES = (
    Surface("plain", plain.render),
    Surface("plain 60", partial(plain.render, width=60), 60),
    Surface("terminal 80", partial(terminal.render, width=80), 80),
    Surface("terminal 40", partial(terminal.render, width=40), 40),
    Surface("terminal without colour", partial(terminal.render, width=80, colour=False), 80),
)


def card(
    arguments: Mapping[str, Json] | str | None = None,
    hints: Mapping[str, Hint] | None = None,
    **changes: Any,
) -> Card:
    given = {"path": "report.txt"} if arguments is None else arguments
    facts: dict[str, Any] = {
        "kind": RequestKind.APPROVAL,
        "title": "Approval needed",
        "request_id": "req_1",
        "call_id": "call_1",
        "conversation_id": "conv_1",
        "revision": 1,
        "digest": "d" * 64,
        "agent": "mailer",
        "on_behalf_of": "ada",
        "tool": "send_mail",
        "source": "local",
        "risk": Risk.DANGEROUS,
        "arguments": entries_of(given, hints or {}),
        "arguments_digest": "ab" * 32,
        "choices": CHOICES,
        "deadline": NOW + timedelta(hours=23, minutes=59),
    }
    return Card(**(facts | changes))


def hostile_card(text: str) -> Card:
    """A card with the text in every slot that somebody else fills."""
    return card(
        {"x": text, text[:200]: [text, {text[:200]: text}]},
        tool=text,
        category=text,
        source=text,
        impact=text,
        question=text,
        reason=text,
        agent=text,
        on_behalf_of=text,
        details=entries_of({"why": text}),
        preview=TextPreview(text),
        edited_by=(text,),
        blanks=(Blank(field=Field("y"), only_if=Condition(field="x", value=Text(text))),),
        agent_words=text,
    )


def bare(text: str) -> str:
    """A rendering without the colours that we gave it."""
    return STYLE.sub("", text)


def blocks(text: str) -> list[str]:
    """The guttered blocks of a rendering, with wrapped lines joined again."""
    found: list[str] = []
    previous = False
    for line in bare(text).split("\n"):
        match = re.fullmatch(r" *(?:[-+~ ] )?(?P<gutter>[│┊])(?: (?P<line>.*))?", line)
        if match is None:
            previous = False
            continue
        content = match["line"] or ""
        if not previous:
            found.append(content)
        else:
            found[-1] += content if match["gutter"] == "┊" else f"\n{content}"
        previous = True
    return found
