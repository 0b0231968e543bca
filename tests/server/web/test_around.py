"""What stands around a request: who voted before, and nothing else for who came by a link."""

import re

from assent import Audience, Person, Rule, approve
from assent.domain.policy import Effect
from tests.server.conftest import Serve
from tests.server.web.office import Office, ask, script
from tests.server.web.visitor import Visitor

ROOT = Person("root", roles=frozenset({"admin"}))
APPROVER = Person("approver", roles=frozenset({"requester", "approver"}))
TWO = Rule(
    name="two-of-us",
    effect=Effect.ASK,
    tools=("refund",),
    audience=Audience.of("approver", "admin"),
    quorum=2,
)


# requirement: W2
async def test_who_came_by_a_link_is_told_of_no_other_call(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        earlier, asked = await ask(served, "hire somebody-else", "hire me")
        await served.assent.decide(earlier, approve(), by=APPROVER)
        at_home = await Visitor.signed_in(served, "approver")
        await at_home.open(f"/requests/{asked}")
        assert "Earlier calls of this tool" in at_home.text
        assert "somebody-else" in at_home.text
        _, token = await served.assent.people.links.to_decide("approver", asked, by=ROOT)
        by_link = Visitor(served)
        await by_link.open(f"/r/{token}")
        await by_link.send({})
        assert by_link.page.url.path == f"/requests/{asked}"
        assert "me" in by_link.text
        assert "Earlier calls" not in by_link.text
        assert "somebody-else" not in by_link.page.text
        assert earlier not in by_link.page.text


# requirement: F4
async def test_who_decides_several_sees_who_approved_which_before(serve: Serve) -> None:
    async with serve(script, *Office().tools, rules=[TWO]) as served:
        ids = await ask(served, "refund a", "refund b")
        await served.assent.decide(ids[0], approve(), by=APPROVER)
        admin = await Visitor.signed_in(served, "admin")
        await admin.open(f"/batch?id={ids[0]}&id={ids[1]}")
        cards = [
            re.sub(r"<[^>]+>", "", re.split(r"<li class=\"panel", part)[0])
            for part in admin.page.text.split('id="item-')[1:]
        ]
        assert ["approver" in re.sub(r"\s+", " ", card) for card in cards] == [True, False]
