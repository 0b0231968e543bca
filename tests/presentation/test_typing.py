"""A call that takes typing is approved only where something can be typed."""

import pytest

from assent.domain.cards import Choice, Verb
from assent.domain.confirmations import Confirmation, Phrase
from assent.presentation.surfaces import SURFACES, Surface
from tests.presentation.samples import card

WITH_KEYS = {"html", "plain", "terminal"}
TYPED = card(
    {"path": "a"},
    confirmation=Confirmation.TYPED,
    to_type=Phrase(text="a", argument="path"),
)


def verbs(choices: tuple[Choice, ...]) -> list[Verb]:
    return [choice.verb for choice in choices]


# requirement: F5
@pytest.mark.parametrize("surface", SURFACES.values(), ids=lambda surface: surface.name)
def test_only_what_can_be_typed_into_offers_what_takes_typing(surface: Surface) -> None:
    offered = verbs(surface.render(TYPED).choices)
    if surface.name in WITH_KEYS:
        assert offered == [Verb.APPROVE, Verb.EDIT, Verb.REJECT]
    else:
        assert offered == [Verb.REVIEW, Verb.REJECT]


@pytest.mark.parametrize("strength", [Confirmation.CLICK, Confirmation.STEP])
@pytest.mark.parametrize("surface", SURFACES.values(), ids=lambda surface: surface.name)
def test_everything_else_can_be_approved_where_it_is_shown_in_full(
    surface: Surface, strength: Confirmation
) -> None:
    offered = verbs(surface.render(card({"path": "a"}, confirmation=strength)).choices)
    assert offered == [Verb.APPROVE, Verb.EDIT, Verb.REJECT]


# requirement: F3
@pytest.mark.parametrize("surface", SURFACES.values(), ids=lambda surface: surface.name)
def test_an_earlier_rejection_is_said_or_left_to_the_full_review(surface: Surface) -> None:
    rendered = surface.render(card({"path": "a"}, rejected=2))
    said = "rejected 2 times" in " ".join(rendered.text.replace("\\n", " ").split())
    assert said or verbs(rendered.choices) == [Verb.REVIEW]
