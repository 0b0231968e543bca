"""Modals of Slack: forms drawn field by field, what was entered in them, and words with buttons."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, cast

from assent.channels.form_pages import hint_of, is_typed, known_text
from assent.channels.reference import Reference
from assent.channels.replies import Ask, Fill, FormLimits, Tell
from assent.channels.slack.messages import Block, buttons_block
from assent.channels.slack.rich_text import boxes, plain, rich, section, span
from assent.domain.canonical import encode
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.suggestions import Suggestion
from assent.presentation.rendering import units
from assent.presentation.suggested import last_time
from assent.presentation.text import safe_line

LIMITS: Final = FormLimits(fields=20, characters=3_000)
FORM, WORDS, LOADING = "assent:form", "assent:words", "assent:loading"
ACTION: Final = "value"
# Slack takes 100 blocks; this is what people may still want to read here.
BOXES: Final = 40
BOX_CHARS: Final = 2_900
_NAME: Final = "f:"
_TITLE: Final = "Assent"
_LABEL_CHARS, _OPTION_CHARS, _VALUE_CHARS, _HINT_CHARS = 2_000, 75, 150, 2_000
_NUMBER_CHARS: Final = 255
_MOMENT_DIGITS: Final = 10
_TICKS: Final = 10
# As on the web: a short text is edited on one line.
_LINE_CHARS: Final = 90
_HINTED: Final = (Control.LINE, Control.CHOICE, Control.MONEY, Control.PAIRS, Control.TABLE)
_SEEN: Final = "Slack shows what you type. It goes to the tool alone, and is stored encrypted."
_YES_NO: Final = (("true", "Yes"), ("false", "No"))
_CONSENT: Final = (("true", "I agree"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModalOrigin:
    """The message from which a modal was opened, to answer its user there afterwards."""

    channel: str = ""
    thread: str = ""
    reference: str = ""

    @classmethod
    def read(cls, text: str) -> "ModalOrigin":
        """Read what `str` wrote; nothing of any other text."""
        try:
            found: Any = json.loads(text)
            channel, thread, reference = map(str, cast("list[object]", found))
        except (TypeError, ValueError):
            return cls()
        return cls(channel=channel, thread=thread, reference=reference)

    def __str__(self) -> str:
        return encode([self.channel, self.thread, self.reference])


# Words


def loading_view() -> dict[str, Any]:
    """Return a modal to show while the form is looked up."""
    return {**_view(LOADING, [rich(section(span("One moment…")))]), "close": plain("Close")}


def words_view(reply: Tell | Ask, origin: ModalOrigin) -> dict[str, Any]:
    """Return a modal with a reply, and its buttons."""
    buttons = reply.buttons if isinstance(reply, Ask) else ()
    url = reply.url if isinstance(reply, Tell) else ""
    view = _view(WORDS, [*words_blocks(reply), *buttons_block(buttons, url)])
    return {**view, "close": plain("Close"), "private_metadata": str(origin)}


def words_blocks(reply: Tell | Ask) -> list[Block]:
    """Return a reply's words as blocks; words that are too long for Slack say so instead."""
    if isinstance(reply, Ask) or not reply.is_foreign:
        words = reply.words
        shown = words if len(words) <= BOX_CHARS else f"{words[:BOX_CHARS]}…"
        return [rich(section(span(shown)))]
    found = boxes(reply.words, BOX_CHARS)
    if len(found) > BOXES:
        return [rich(section(span("This is too long to be shown here.")))]
    return found


# Forms


def form_view(fill: Fill, origin: ModalOrigin) -> dict[str, Any] | None:
    """Return a form as a modal; None if Slack cannot show one of its fields."""
    drawn = [_input(field, fill) for field in fill.fields]
    blocks = [block for block in drawn if block is not None]
    if len(blocks) < len(drawn):
        return None
    heading = rich(section(span(fill.title[:BOX_CHARS], bold=True)))
    return {
        **_view(FORM, [heading, *blocks]),
        "submit": plain(fill.submit_label[:24]),
        "close": plain("Cancel"),
        "private_metadata": str(origin),
    }


def values_of(view: Mapping[str, Any]) -> dict[str, object]:
    """Return what a person entered, by the names of the fields."""
    found = dict[str, object]()
    for block, states in view["state"]["values"].items():
        if block.startswith(_NAME) and ACTION in states:
            value = _entered(states[ACTION])
            if value is not None:
                found[block.removeprefix(_NAME)] = value
    return found


def errors_of(view: Mapping[str, Any], errors: Mapping[str, str]) -> dict[str, str]:
    """Return errors by the blocks of this modal's fields; none if one of them is not here."""
    here = {block["block_id"] for block in view["blocks"] if block["type"] == "input"}
    placed = {f"{_NAME}{name}": words[:_HINT_CHARS] for name, words in errors.items()}
    return placed if placed.keys() <= here else {}


def _entered(state: Mapping[str, Any]) -> object:
    match state["type"]:
        case "static_select" | "radio_buttons":
            chosen = state.get("selected_option")
            return None if chosen is None else chosen["value"]
        case "checkboxes" | "multi_static_select":
            return [option["value"] for option in state.get("selected_options") or ()]
        case "datepicker":
            return state.get("selected_date") or ""
        case "datetimepicker":
            # Slack asks in the zone of the person, and tells the moment alone.
            moment = state.get("selected_date_time")
            return "" if moment is None else datetime.fromtimestamp(moment, UTC).isoformat()
        case "timepicker":
            return state.get("selected_time") or ""
        case _:
            return state.get("value") or ""


def _view(callback: str, blocks: Sequence[Block]) -> dict[str, Any]:
    return {
        "type": "modal",
        "callback_id": callback,
        "title": plain(_TITLE),
        "blocks": list(blocks),
    }


def _input(field: Field, fill: Fill) -> Block | None:
    element = _element(field, fill.values.get(field.name))
    label = safe_line(field.label)
    if element is None or units(label) > _LABEL_CHARS:
        return None
    hint = _with_suggestion(field, " ".join(_hints(field)), fill.suggestions.get(field.name))
    return {
        "type": "input",
        "block_id": f"{_NAME}{field.name}",
        "label": plain(label),
        "optional": not field.required or field.name in fill.kept,
        "element": {"action_id": ACTION, **element},
        **({"hint": plain(hint[:_HINT_CHARS])} if hint else {}),
    }


def _with_suggestion(field: Field, hint: str, found: Suggestion | None) -> str:
    """Add what an earlier call had, if there is room for all of it: a part could be mistaken."""
    whole = hint if found is None else f"{hint} {last_time(field, found)}".strip()
    return whole if units(whole) <= _HINT_CHARS else hint


def _hints(field: Field) -> Iterator[str]:
    if field.help:
        yield safe_line(field.help)
    if field.kind.is_secret:
        yield _SEEN
    # Its own controls say it better.
    if field.kind.control in _HINTED and (hint := hint_of(field)):
        yield f"As {hint}."


def _element(field: Field, value: object) -> Block | None:
    if is_typed(field):
        return _line(field, value)
    return _DRAWN.get(field.kind.control, _line)(field, value)


def _line(field: Field, value: object) -> Block | None:
    return _text(field, value, lines=False)


def _moment(field: Field, value: object) -> Block | None:
    known = field.spelt(value)
    seconds = int(datetime.fromisoformat(known).timestamp()) if known else None
    # Slack takes moments of ten digits: from 2001 to 2286.
    if seconds is not None and len(str(seconds)) != _MOMENT_DIGITS:
        return None
    return {"type": "datetimepicker", **({"initial_date_time": seconds} if seconds else {})}


def _lines(field: Field, value: object) -> Block | None:
    return _text(field, value, lines=True)


def _hidden(field: Field, _value: object) -> Block | None:
    return _text(field, "", lines=False)


def _date(field: Field, value: object) -> Block:
    # With anything but a day, as an agent may suggest it, Slack would not open the modal at all.
    known = field.spelt(value)
    return {"type": "datepicker", **({"initial_date": known} if known else {})}


def _time(field: Field, value: object) -> Block:
    known = field.spelt(value)
    return {"type": "timepicker", **({"initial_time": known} if known else {})}


def _yes_no(field: Field, value: object) -> Block | None:
    said = None if value is None else "true" if value in (True, "true") else "false"
    return _choice(_YES_NO, said, ticks=field.required)


def _consent(field: Field, value: object) -> Block | None:
    # People must see all that they agree to.
    is_told = units(safe_line(field.help)) <= _HINT_CHARS
    return _choice(_CONSENT, "true" if value else None, ticks=True) if is_told else None


def _one(field: Field, value: object) -> Block | None:
    return _choice(_options(field), value, ticks=False)


def _some(field: Field, value: object) -> Block | None:
    return _choices(_options(field), value)


def _text(field: Field, value: object, *, lines: bool) -> Block | None:
    text = known_text(field, value)
    most = min(field.max_length, LIMITS.characters)
    if units(text) > most:
        return None
    is_short = bool(text) and "\n" not in text and len(text) <= _LINE_CHARS
    return {
        "type": "plain_text_input",
        "multiline": lines and not is_short,
        "max_length": most,
        **({"initial_value": text} if text else {}),
        **_placeholder(field),
    }


def _number(field: Field, value: object) -> Block:
    given = {"initial_value": value, "min_value": field.minimum, "max_value": field.maximum}
    texts = {name: _decimal(each) for name, each in given.items()}
    return {
        "type": "number_input",
        "is_decimal_allowed": True,
        # One that is too long is left out here: what was entered is checked again when it comes.
        **{name: text for name, text in texts.items() if 0 < len(text) <= _NUMBER_CHARS},
        **_placeholder(field),
    }


def _decimal(value: object) -> str:
    """Return a number as plain digits, all of them: people and Slack read no exponents."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "" if value is None else str(value)
    is_whole = isinstance(value, int) or value.is_integer()
    return str(int(value)) if is_whole else format(Decimal(repr(value)), "f")


def _placeholder(field: Field) -> Block:
    return {"placeholder": plain(safe_line(field.placeholder)[:150])} if field.placeholder else {}


def _options(field: Field) -> list[tuple[str, str]]:
    return [(each.value, safe_line(each.label or each.value)) for each in field.choices]


def _drawn(options: Sequence[tuple[str, str]]) -> list[Block] | None:
    for value, label in options:
        if units(value) > _VALUE_CHARS or not 0 < units(label) <= _OPTION_CHARS:
            return None
    return [{"text": plain(label), "value": value} for value, label in options]


def _choice(options: Sequence[tuple[str, str]], value: object, *, ticks: bool) -> Block | None:
    drawn = _drawn(options)
    if drawn is None:
        return None
    chosen = next((each for each in drawn if each["value"] == value), None)
    return {
        "type": "radio_buttons" if ticks and len(drawn) <= _TICKS else "static_select",
        "options": drawn,
        **({"initial_option": chosen} if chosen else {}),
    }


def _choices(options: Sequence[tuple[str, str]], value: object) -> Block | None:
    drawn = _drawn(options)
    if drawn is None:
        return None
    given = cast("list[object]", value) if isinstance(value, list) else []
    chosen = [each for each in drawn if each["value"] in given]
    return {
        "type": "checkboxes" if len(drawn) <= _TICKS else "multi_static_select",
        "options": drawn,
        **({"initial_options": chosen} if chosen else {}),
    }


_DRAWN: Final[Mapping[Control, Callable[[Field, object], Block | None]]] = {
    Control.LINES: _lines,
    Control.CODE: _lines,
    Control.PAIRS: _lines,
    Control.TABLE: _lines,
    Control.MOMENT: _moment,
    Control.HIDDEN: _hidden,
    Control.NUMBER: _number,
    Control.DATE: _date,
    Control.TIME: _time,
    Control.YES_NO: _yes_no,
    Control.CONSENT: _consent,
    Control.CHOICE: _one,
    Control.CHOICES: _some,
}


def reference_of(view: Mapping[str, Any]) -> Reference | None:
    """Return the reference of a form that was submitted."""
    return Reference.read(ModalOrigin.read(str(view.get("private_metadata", ""))).reference)
