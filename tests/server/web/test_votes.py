"""A request that several people have to approve: whoever has, is not asked again."""

from assent import Audience, Rule
from assent.domain.policy import Effect
from tests.server.conftest import Serve, Served
from tests.server.web.office import Office, ask, script
from tests.server.web.visitor import Forms, Visitor

TWO = Rule(
    name="two-of-us",
    effect=Effect.ASK,
    tools=("refund",),
    audience=Audience.of("approver", "admin"),
    quorum=2,
)


def verdicts(visitor: Visitor) -> set[str]:
    """What the forms of the page would say."""
    said = {form.value("verdict") for form in Forms(visitor.page.text).found}
    return {each for each in said if each}


async def test_whoever_approved_is_told_so_and_can_only_reject(serve: Serve) -> None:
    async with serve(script, *Office().tools, rules=[TWO]) as served:
        await ask(served, "refund a")
        first, second = [await Visitor.signed_in(served, each) for each in ("approver", "admin")]
        await first.open("/")
        [address] = first.requests
        await first.open(address)
        assert verdicts(first) == {"approve", "reject"}
        await first.send({}, "approve")
        await first.open(address)
        assert "You approved: 1 of 2." in first.text
        assert verdicts(first) == {"reject"}
        assert "do=edit" not in first.page.text
        # The other one is asked as before, and theirs is the last.
        await second.open(address)
        assert verdicts(second) == {"approve", "reject"}
        assert "You approved" not in second.text
        await second.send({}, "approve")
        await second.open(address)
        assert "Approved" in second.text


async def two(served: Served, said: str) -> tuple[Visitor, Visitor]:
    """Two people who look at the same request."""
    await ask(served, said)
    first, second = [await Visitor.signed_in(served, each) for each in ("approver", "admin")]
    await first.open("/")
    [address] = first.requests
    for each in (first, second):
        await each.open(address)
    return first, second


async def test_who_meant_to_be_one_of_several_is_not_made_the_last(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools, rules=[TWO]) as served:
        first, second = await two(served, "refund a")
        assert "One of 2 approvals, 1 more to come" in second.text
        await first.send({}, "approve")
        await second.send({}, "approve")
        assert second.page.status_code == 409
        assert office.ran == []
        assert "The last of 2 approvals" in second.text
        await second.send({}, "approve")
        assert "Recorded" in second.text
    assert office.ran == [("refund", "a")]


async def test_a_rejection_holds_whoever_has_approved_meanwhile(serve: Serve) -> None:
    async with serve(script, *Office().tools, rules=[TWO]) as served:
        first, second = await two(served, "refund a")
        await first.send({}, "approve")
        await second.send({"reason": "no"}, "reject")
        assert second.page.status_code == 200
        assert "rejected" in second.text.lower()


async def test_an_approval_that_is_sent_twice_is_given_once(serve: Serve) -> None:
    async with serve(script, *Office().tools, rules=[TWO]) as served:
        first, _ = await two(served, "refund a")
        page = first.page
        await first.send({}, "approve")
        first.page = page
        await first.send({}, "approve")
        assert first.page.status_code == 200
        assert "You approved: 1 of 2." in first.text


DANGEROUS = Rule(
    name="two-erase",
    effect=Effect.ASK,
    tools=("erase", "refund"),
    audience=Audience.of("approver", "admin"),
    quorum=2,
)


async def test_a_confirmation_says_what_one_of_several_approvals_is_worth(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools, rules=[DANGEROUS]) as served:
        first, second = await two(served, "erase a")
        await first.send({}, "approve")
        assert "Approve this?" in first.text
        assert "Yours is one of 2 approvals: 1 more to come before it runs." in first.text
        assert "run it once" not in first.text
        await first.send({})
        assert office.ran == []
        await second.open(second.page.url.path)
        await second.send({}, "approve")
        assert "Run this now?" in second.text
        assert "Yours is the last of 2 approvals." in second.text
        await second.send({})
    assert office.ran == [("erase", "a")]


async def test_an_edit_of_what_several_approve_says_that_it_asks_anew(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools, rules=[TWO]) as served:
        first, _ = await two(served, "refund a")
        address = first.page.url.path
        await first.open(f"{address}?do=edit")
        await first.send({"arg/word": "b"}, "edit")
        assert "Ask for it with these changes?" in first.text
        assert "It would run with" in first.text
        assert "run it once" not in first.text
        assert "It will run" not in first.text
        await first.send({})
    assert office.ran == []
