"""Replies to a person in a chat: what a channel draws after a press or a form."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assent.channels.reference import Reference
from assent.domain import parameters
from assent.domain.fields import Field
from assent.domain.parameters import settle
from assent.domain.suggestions import Suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button of a reply: what it refers to, and its label in our words."""

    reference: Reference
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """Say something to this person alone; `url` is the full review, if that helps."""

    words: str
    url: str = ""
    # True if the words hold foreign text (made safe): to be shown as code, never as markup.
    is_foreign: bool = False
    # True if nothing was decided because it could not be.
    is_refusal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Say something to this person alone, with buttons that go on.

    `errors` are what is wrong in the form that was submitted, by field: a chat that can show them
    beside the fields does that instead.
    """

    words: str
    buttons: tuple[Button, ...]
    errors: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """Open a form for this person alone; `submit` takes its values with the same reference.

    `kept` are the secrets that were given before: their fields may stay empty. `suggestions` are
    what an earlier call of this person had: they are shown, and count only if they are entered.
    """

    reference: Reference
    title: str
    fields: tuple[Field, ...]
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    submit_label: str = "Send"
    kept: frozenset[str] = frozenset()
    suggestions: Mapping[str, Suggestion] = field(default_factory=dict[str, Suggestion])


Reply = Tell | Ask | Fill


@dataclass(frozen=True, slots=True, kw_only=True)
class FormLimits:
    """How many fields a form of this chat has, and how many characters each takes."""

    fields: int = 5
    characters: int = 3_000

    def __post_init__(self) -> None:
        settle(self, {"fields": parameters.whole(1), "characters": parameters.whole(1)})
