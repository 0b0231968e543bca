"""The terms of several asks merge by one rule: the strictest counts, for each of them."""

from datetime import timedelta
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from assent import Audience, Confirmation, Person, PersonKind
from assent.domain.ask_terms import NO_DEADLINE, AskTerms, Deadline

ROLES = ("finance", "legal", "ops")
NAMES = ("ada", "eve", "max")
OWNER = "ada"
names = st.sets(st.sampled_from(NAMES)).map(frozenset)
plain = st.builds(
    Audience,
    owner=st.booleans(),
    roles=st.sets(st.sampled_from(ROLES)).map(frozenset),
    people=names,
    exclude_requester=st.booleans(),
)
audiences = st.one_of(plain, st.builds(lambda one, other: one & other, plain, plain))
terms = st.builds(
    AskTerms,
    audience=st.none() | audiences,
    quorum=st.integers(1, 4),
    decide_within=st.sampled_from(
        [None, NO_DEADLINE, timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)]
    ),
    confirmation=st.none() | st.sampled_from(Confirmation),
)
# Everybody there can be, as far as these audiences tell them apart.
EVERYBODY = [
    Person(id, roles={role for role, has in zip(ROLES, held, strict=True) if has}, kind=kind)
    for id in (*NAMES, "stranger")
    for held in product((False, True), repeat=len(ROLES))
    for kind in PersonKind
]


def admitted(audience: Audience | None) -> set[Person]:
    return {who for who in EVERYBODY if audience is None or audience.admits(who, OWNER)}


def is_as_strict(one: AskTerms, other: AskTerms) -> bool:
    """Whether `one` lets nothing through that `other` holds back, term by term."""
    order = [None, *Confirmation]
    return (
        admitted(one.audience) <= admitted(other.audience)
        and one.quorum >= other.quorum
        and length(one.decide_within) <= length(other.decide_within)
        and order.index(one.confirmation) >= order.index(other.confirmation)
    )


def length(within: timedelta | Deadline | None) -> timedelta:
    """Not to say a deadline is the loosest: then others say it."""
    if within is None:
        return timedelta.max
    return timedelta.max - timedelta(1) if isinstance(within, Deadline) else within


@given(terms, terms)
def test_the_merge_is_as_strict_as_either_part(one: AskTerms, other: AskTerms) -> None:
    assert is_as_strict(one & other, one)
    assert is_as_strict(one & other, other)


@given(terms, terms)
def test_the_merge_is_no_stricter_than_both_together(one: AskTerms, other: AskTerms) -> None:
    both = one & other

    assert admitted(both.audience) == admitted(one.audience) & admitted(other.audience)
    assert both.quorum in (one.quorum, other.quorum)
    assert both.decide_within in (one.decide_within, other.decide_within)
    assert both.confirmation in (one.confirmation, other.confirmation)


@given(terms, terms, terms)
def test_neither_the_order_nor_a_repetition_of_asks_matters(
    one: AskTerms, other: AskTerms, third: AskTerms
) -> None:
    assert one & other == other & one
    assert (one & other) & third == one & (other & third)
    assert one & one == one
    assert one & AskTerms() == one
    assert AskTerms.strictest([third, one, other, one]) == one & other & third


@given(audiences)
def test_an_audience_is_stored_and_read_again(audience: Audience) -> None:
    assert Audience.from_json(audience.to_json()) == audience


@given(audiences, st.integers(1, 4))
def test_nobody_is_too_few_of_who_could_still_decide(audience: Audience, quorum: int) -> None:
    could = {who.id for who in admitted(audience)}
    unknown = any(part.roles for part in audience.parts) and "stranger" in could

    assert audience.is_too_few(quorum, OWNER) <= (len(could) < quorum and not unknown)


@given(audiences)
def test_who_is_no_owner_in_any_part_is_admitted_by_name_or_role_only(audience: Audience) -> None:
    unowned = audience.without_owner()

    assert not any(part.owner for part in unowned.parts)
    others = {who for who in EVERYBODY if who.id != OWNER}
    assert admitted(unowned) & others == admitted(audience) & others
