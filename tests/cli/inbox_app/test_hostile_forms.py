"""Text that tries to deceive in every control of a form in the inbox: seen, and without effect."""

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Select, Static, TextArea

from assent import Field, FieldType, Option, Step, UserInput
from assent.cli.inbox_app.form_dialog import FormDialog, FormStart
from assent.cli.inbox_app.form_fields import FieldBox
from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.field_types import FIELD_KINDS
from assent.domain.suggestions import Suggestion
from assent.errors import InvalidAnswer
from assent.presentation.text import safe_line
from assent.testing.hostile import DECEPTIONS, is_unseen
from tests.cli.inbox_app.office import Office, Seat
from tests.cli.test_hostile_prompts import hostile_field, suggestion_of, value_of

# Markup of the library itself: a colour, a link, a key, an escape, and a tag that is never closed.
RICH = "[red]r[/] [link=https://evil.test]l[/link] [@click=app.quit]q[/] \\[b] [/] [bold"
TEXTS = (*DECEPTIONS.values(), RICH)
# Each text goes into every kind of field, in one of these places; over the kinds, into all of them.
_PLACES = 24


async def opened(seat: Seat, form: UserInput, **given: Any) -> list[Give]:
    """Open the dialog of a form; what it sends, in the end or as a draft."""
    sent: list[Give] = []

    async def send(give: Give) -> None:
        form.validate(give.values)
        sent.append(give)

    async def keep(give: Give) -> int | None:
        sent.append(give)
        return None

    options: dict[str, Any] = {"known": {}, **given}
    start = FormStart(form=form, kept=frozenset(), **options)
    await seat.app.push_screen(FormDialog("For fill", start, send, keep))
    await seat.until(lambda: len(seat.app.screen.query(FieldBox)) == len(form.fields))
    await seat.pilot.pause()
    return sent


async def closed(seat: Seat) -> None:
    dialog = seat.app.screen
    assert isinstance(dialog, FormDialog)
    dialog.action_back()
    await seat.pilot.pause()
    if seat.app.screen is dialog:
        # What was filled in here is given up only when asked for once more.
        dialog.action_back()
    await seat.until(lambda: seat.app.screen is not dialog)


def rows(widget: Widget) -> list[Strip]:
    width, height = widget.size
    return widget.render_lines(Region(0, 0, width, height)) if width and height else []


def inert(whole: Widget) -> None:
    """Nothing in a widget is hidden, cut off, or anything but text, in sight or not."""
    for widget in [whole, *whole.query("*")]:
        width, _ = widget.size
        for strip in rows(widget):
            assert not any(map(is_unseen, strip.text)), (widget, strip.text)
            assert cell_len(strip.text) <= width, (widget, strip.text)
            for segment in strip:
                assert segment.control is None
                style = segment.style
                # A link would lead away, and what is clicked on must be a key of ours.
                assert style is None or (style.link is None and "@click" not in style.meta)


def fields_of(kind: FieldType) -> tuple[list[Field], dict[str, Json], dict[str, Suggestion]]:
    """Fields of a kind with the whole corpus in them, what a model said, what calls had."""
    first = list(FieldType).index(kind)
    texts = [*TEXTS[first:], *TEXTS[:first]]
    fields: list[Field] = []
    known: dict[str, Json] = {}
    suggestions: dict[str, Suggestion] = {}
    for start in range(0, len(texts), _PLACES):
        label, example, filled, value, title, *words = (texts[start:] + texts)[:_PLACES]
        name = f"f{start}"
        more: dict[str, Any] = {"help": "\n".join(words), "placeholder": example}
        if FIELD_KINDS[kind].takes_options and not fields:
            more["options"] = [Option(text, text) for text in texts]
        item = hostile_field(kind, label, name=name, **more)
        fields.append(item)
        known[name] = value_of(item, filled)
        suggestions[name] = replace(suggestion_of(item, value), title=title)
    return fields, known, suggestions


# requirement: D5, D9
@pytest.mark.parametrize("kinds", [list(FieldType)[at::3] for at in range(3)], ids=range(3))
async def test_what_authors_models_and_tools_write_is_seen_in_every_control_and_does_nothing(
    local_office: Office, kinds: list[FieldType]
) -> None:
    async with local_office.seat() as seat:
        for kind in kinds:
            fields, known, suggestions = fields_of(kind)
            form = UserInput(TEXTS[0], fields)
            await opened(seat, form, known=known, suggestions=suggestions)
            # The others show what the model said.
            for box in [*seat.app.screen.query(FieldBox)][::2]:
                box.use()
            for select in [*seat.app.screen.query(Select)][:1]:
                select.expanded = True
            await seat.pilot.pause()
            inert(seat.app.screen)
            assert not any(map(is_unseen, seat.text.replace("\n", ""))), seat.text
            await closed(seat)


# requirement: D5, D9
async def test_nothing_is_filled_in_that_cannot_be_seen(local_office: Office) -> None:
    async with local_office.seat():
        for kind in FieldType:
            for text in TEXTS:
                item = hostile_field(kind, text)
                value, suggestion = value_of(item, text), suggestion_of(item, text)
                box = FieldBox(item, value, is_kept=False, suggestion=suggestion)
                for use in (False, True):
                    if use:
                        box.use()
                    match box._control:  # pyright: ignore[reportPrivateUsage]
                        case Input(value=held) | TextArea(text=held):
                            breaks = "\n" if item.kind.has_lines else ""
                            assert {c for c in held if is_unseen(c)} <= set(breaks), (kind, held)
                        case _:
                            pass


# requirement: D5, D9
async def test_titles_and_helps_of_steps_do_nothing(local_office: Office) -> None:
    fields = [Field(f"f{at}", required=False) for at in range(len(TEXTS))]
    steps = [Step(text[:100], [item], help=text) for text, item in zip(TEXTS, fields, strict=True)]
    form = UserInput("Fill in", steps=steps)
    async with local_office.seat() as seat:
        await opened(seat, form)
        dialog = seat.app.screen
        assert isinstance(dialog, FormDialog)
        for step in form.shown_steps({}):
            # As each turn of the dialog does, without drawing all of it.
            dialog._say_where(step)  # pyright: ignore[reportPrivateUsage]
            where = str(dialog.query_one("#step", Static).content)
            assert where.startswith(f"Step {step.number} of {len(TEXTS)}: {safe_line(step.title)}")
            assert {char for char in where if is_unseen(char)} == {"\n"}


# requirement: D5, D9
async def test_what_people_enter_is_taken_as_it_stands_or_refused_with_words(
    local_office: Office,
) -> None:
    fields = [hostile_field(kind, kind.value, name=kind.value) for kind in FieldType]
    async with local_office.seat(size=(120, 60)) as seat:
        form = UserInput("Fill in", fields)
        await opened(seat, form)
        dialog = seat.app.screen
        assert isinstance(dialog, FormDialog)
        for text in TEXTS:
            # Which fields apply does not depend on any of these.
            with seat.app.prevent(Input.Changed, TextArea.Changed):
                for box in dialog.query(FieldBox):
                    enter(box, text)
            dialog.refuse(refused(form, dialog.answer()))
            for box in dialog.query(FieldBox):
                problem = str(box.query_one(".error", Static).content)
                assert problem == refusal(box.item, box.answer()), (text, box.item.type)


def refused(form: UserInput, give: Give | None) -> InvalidAnswer:
    """What is wrong with what the dialog would send; more than nothing is."""
    assert give is not None
    with pytest.raises(InvalidAnswer) as raised:
        form.validate(give.values)
    return raised.value


def enter(box: FieldBox, text: str) -> None:
    """Enter a text; what an escape in it does to a terminal is nothing."""
    for control in box.query("Input, TextArea"):
        match control:
            case Input(disabled=False):
                text = text.splitlines()[0]
                control.value = text
            case TextArea():
                # The library takes all that breaks lines for a line break, and shows it as one.
                text = "\n".join(text.splitlines())
                control.text = text
            case _:
                return
        assert control.render_line(0).text.isprintable(), text
        if not box.item.kind.takes_files:
            assert box.answer() == text


def refusal(item: Field, answer: object) -> str:
    """Why a field does not take an answer; empty if it does."""
    try:
        if answer is not None:
            item.accept(answer)
            return ""
    except InvalidAnswer as error:
        return safe_line(error.errors[item.name])
    return "This is required."
