"""Every call on record, one call's whole story, the raw record, and files of them."""

import asyncio
import csv
import html
import io
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from assent import Assent, Field, Person, Progress, Risk, Rule, UserInput, tool
from assent.domain.decisions import Approve, Give, Ran, Reject, RunAgain
from assent.domain.events import Entry
from assent.domain.fields import FieldType
from assent.domain.messages import Answer, Prompt
from assent.domain.people import Audience, Scope
from assent.domain.policy import Effect
from assent.domain.tools import Hint
from assent.engine.ids import new_id
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.ports import Tx
from assent.server.web.history import export
from assent.store.record import CALLS_READ
from assent.testing import calls, says
from tests.server.conftest import Serve, Served
from tests.server.web.visitor import Visitor

USER = Person("user", roles=frozenset({"requester"}))
CANARY = "canary-5f3e-hunter2"


@tool(risk=Risk.MODERATE, requires_approval=True)
async def pay(to: str, amount: int) -> dict[str, Any]:
    """Pay."""
    return {"paid": amount, "to": to}


@tool(risk=Risk.SAFE)
async def look(path: str) -> Any:
    """Look."""
    yield Progress({"done": "half of <b>it</b>"}, fraction=0.5)
    yield f"<script>alert('{path}')</script>"


@tool(risk=Risk.DANGEROUS, requires_approval=True, approvers=Audience.of("approver"))
async def wipe(disk: str) -> str:
    """Wipe."""
    raise RuntimeError("the disk is on fire")


@tool(requires_approval=True, decide_within=timedelta(milliseconds=300))
async def hurry() -> str:
    """Hurry."""
    return "done"


@tool(requires_approval=True)
async def post(letter: str) -> str:
    """Post."""
    raise OutcomeUnknown("the line went dead")


@tool(
    user_input=UserInput("Where to?", fields=[Field("password", type=FieldType.SECRET)]),
    hints={"motto": Hint(secret=True)},
)
async def connect(host: str, motto: str, password: str) -> str:
    """Connect."""
    return "connected"


TOOLS = (pay, look, wipe, hurry, post, connect)


def script(prompt: Prompt) -> Answer | str:
    last = prompt.history[-1]
    if getattr(last, "outputs", None):
        return "All done."
    match str(getattr(last, "text", "")).split():
        case ["pay", to]:
            return says("I will pay. <b>Trust me</b>.", calls("pay", to=to, amount=40))
        case ["look", path]:
            return says("", calls("look", path=path))
        case ["hurry"]:
            return says("", calls("hurry"))
        case ["post"]:
            return says("", calls("post", letter="Dear Ada"))
        case ["wipe"]:
            return says("", calls("wipe", disk="sda"))
        case ["connect"]:
            return says("", calls("connect", host="db", motto=CANARY))
        case _:
            return says("", calls("no_such_tool", wish="anything"))


async def said(assent: Assent, text: str, verdict: Any = None, by: Person = USER) -> str:
    """A message, and what somebody decided about what it led to; returns the call's id."""
    turn = await assent.send("agent", text, by=USER)
    if verdict is not None:
        [request] = turn.pending
        await assent.decide(request.id, verdict, by=by, digest=request.digest, channel="web")
        await assent.wait(turn.id)
    [call] = (await assent.turn(turn.id)).calls
    return call.id


@asynccontextmanager
async def visited(serve: Serve, account: str = "user") -> AsyncIterator[tuple[Served, Visitor]]:
    """The service, and somebody who has signed in."""
    async with serve(script, *TOOLS) as served:
        yield served, await Visitor.signed_in(served, account)


def listed(visitor: Visitor) -> list[str]:
    """The calls that a page links to, in its order."""
    return list(dict.fromkeys(re.findall(r'href="/history/(call_[0-9a-f]+)"', visitor.page.text)))


def titles(visitor: Visitor) -> list[str]:
    """The steps of a story."""
    return re.findall(r"<h2>([^<]+)</h2>", visitor.page.text)


# requirement: F9
async def test_history_lists_what_ran_by_itself_beside_what_waited(serve: Serve) -> None:
    allowing = Rule(name="small-payments", effect=Effect.ALLOW, tools=("pay",))
    async with serve(script, *TOOLS, rules=[allowing]) as served:
        alone = await said(served.assent, "pay ada")
        visitor = await Visitor.signed_in(served)
        await visitor.open("/history")
        assert listed(visitor) == [alone]
        assert "rule small-payments" in visitor.text
        await visitor.open(f"/history/{alone}")
        assert "Allowed to run without asking" in visitor.text
        assert "judged by rule small-payments" in visitor.text


async def test_history_is_newest_first_and_goes_on_page_by_page(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        made = [await said(served.assent, f"look {number}") for number in range(33)]
        await visitor.open("/history")
        first = listed(visitor)
        [older] = re.findall(r'rel="next" href="\?([^"]+)"', visitor.page.text)
        await visitor.open(f"/history?{older}")
        assert [*first, *listed(visitor)] == list(reversed(made))
        assert 'rel="next"' not in visitor.page.text


async def test_a_look_through_very_many_calls_ends_and_can_go_on(serve: Serve) -> None:
    async with visited(serve, "auditor") as (served, auditor):
        paid = await said(served.assent, "pay ada", Reject())
        looked = await said(served.assent, "look here")

        def crowd(tx: Tx) -> None:
            call = tx.calls.get(looked)
            assert call is not None
            tx.calls.add([replace(call, id=new_id("call")) for _ in range(CALLS_READ)])

        await served.assent.kernel.store.run(crowd)
        await auditor.open("/history?tool=pay")
        assert listed(auditor) == []
        assert "No matches so far" in auditor.text
        [further] = re.findall(r'href="\?([^"]+)">Search older entries', auditor.page.text)
        await auditor.open(f"/history?{html.unescape(further)}")
        assert listed(auditor) == [paid]
        await auditor.open("/history/export?tool=pay")
        assert len(auditor.page.text.splitlines()) == 1


async def test_filters_leave_what_fits_and_keep_what_was_typed(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        looked = await said(served.assent, "look here")
        paid = await said(served.assent, "pay ada", Approve())
        refused = await said(served.assent, "pay bob", Reject(reason="no"))
        waiting = await said(served.assent, "pay eve")
        today = datetime.now(UTC).date()
        for query, expected in {
            "tool=pay": [waiting, refused, paid],
            "status=rejected": [refused],
            "status=waiting": [waiting],
            "status=nonsense&people=nonsense": [waiting, refused, paid, looked],
            "people=alone": [looked],
            "people=asked": [waiting, refused, paid],
            "by=user": [refused, paid],
            "by=nobody": [],
            "risk=safe": [looked],
            "q=LOO": [looked],
            "agent=agent&q=pay&status=succeeded": [paid],
            f"from={today}&to={today}": [waiting, refused, paid, looked],
            f"to={today - timedelta(days=1)}": [],
            f"from={today + timedelta(days=1)}": [],
            "from=tomorrow": [waiting, refused, paid, looked],
            "q=%ff%f0pay": [],
        }.items():
            await visitor.open(f"/history?{query}")
            assert (visitor.page.status_code, listed(visitor)) == (200, expected), query
        await visitor.open("/history?tool=pa%22y")
        assert 'value="pa&#34;y"' in visitor.page.text
        assert "No matching calls" in visitor.text


async def test_people_see_their_own_calls_and_auditors_see_all(serve: Serve) -> None:
    async with visited(serve) as (served, _):
        mine = await said(served.assent, "look here")
        for account, seen in {"user": 1, "stranger": 0, "approver": 0, "auditor": 1}.items():
            visitor = await Visitor.signed_in(served, account)
            await visitor.open("/history")
            assert len(listed(visitor)) == seen, account
            story = await visitor.open(f"/history/{mine}")
            assert story.status_code == (200 if seen else 404), account
            await visitor.open("/history/export")
            assert (mine in visitor.page.text) == bool(seen), account


async def test_whoever_may_decide_a_call_reads_its_story_but_not_the_conversation(
    serve: Serve,
) -> None:
    async with visited(serve, "approver") as (served, approver):
        wiped = await said(served.assent, "wipe")
        await approver.open(f"/history/{wiped}")
        assert approver.page.status_code == 200
        assert "anyone with the role approver" in approver.text
        assert "/chat/" not in approver.page.text.partition('id="main"')[2]
        stranger = await Visitor.signed_in(served, "stranger")
        assert (await stranger.open(f"/history/{wiped}")).status_code == 404


# requirement: D15
async def test_a_story_tells_each_step_in_order_with_the_edit_as_a_difference(
    serve: Serve,
) -> None:
    async with visited(serve) as (served, visitor):
        paid = await said(served.assent, "pay ada", Approve(arguments={"to": "ada", "amount": 4}))
        await visitor.open(f"/history/{paid}")
        assert titles(visitor) == [
            "Proposed",
            "Needs an approval",
            "Approval asked for",
            "Arguments edited",
            "Approved",
            "Started",
            "Succeeded",
        ]
        changed = visitor.page.text.partition("What changed")[2].partition("</details>")[0]
        assert "amount" in changed
        assert re.search(r"<del>.*40.*</del>.*<ins>.*4.*</ins>", changed)
        call = (await served.assent.kernel.store.run(lambda tx: tx.calls.revisions(paid)))[0]
        assert call.arguments.digest in visitor.page.text
        assert "by user via web" in visitor.text
        assert re.search(r"waited \d+(\.\d)? m?s", visitor.text)
        assert re.search(r"ran \d+(\.\d)? m?s", visitor.text)
        assert "&lt;b&gt;Trust me" in visitor.page.text


async def test_a_story_says_what_an_approver_was_shown(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        turn = await served.assent.send("agent", "pay ada", by=USER)
        [request] = turn.pending
        shown = "html/1:" + "c" * 64
        await served.assent.decide(request.id, Approve(), by=USER, shown=shown, channel="web")
        await visitor.open(f"/history/{request.call_id}")
        assert f"was shown {shown}" in visitor.text


async def test_a_story_of_a_call_that_nobody_decided_ends_with_its_deadline(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        turn = await served.assent.send("agent", "hurry", by=USER)
        [request] = turn.pending
        async with asyncio.timeout(20):
            # They end with the turn, which goes on once the deadline has passed.
            async for _ in served.assent.events(turn.id):
                pass
        await visitor.open(f"/history/{request.call_id}")
        assert titles(visitor)[-1] == "Expired: no decision in time"
        await visitor.open("/history?status=expired")
        assert listed(visitor) == [request.call_id]
        assert "the deadline" in visitor.text


async def test_a_story_of_a_call_in_doubt_says_who_settled_it(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        posted = await said(served.assent, "post", Approve())
        await visitor.open(f"/history/{posted}")
        assert titles(visitor)[-3:] == [
            "In doubt: it may have run",
            "Asked what happened",
            "Waiting for a person",
        ]
        assert "the line went dead" in visitor.text
        asked = await served.assent.kernel.store.run(lambda tx: tx.requests.of_call(posted))
        await served.assent.decide(asked[-1].id, Ran(output="posted at noon"), by=USER)
        await visitor.open(f"/history/{posted}")
        assert titles(visitor)[-1] == "Confirmed: it did run"
        assert "posted at noon" in visitor.text


async def test_a_story_of_a_call_that_was_run_again_does_not_call_that_an_approval(
    serve: Serve,
) -> None:
    async with visited(serve) as (served, visitor):
        posted = await said(served.assent, "post", Approve())
        asked = await served.assent.kernel.store.run(lambda tx: tx.requests.of_call(posted))
        await served.assent.decide(asked[-1].id, RunAgain(), by=USER)
        await visitor.open(f"/history/{posted}")
        assert titles(visitor).count("Approved") == 1
        assert "Confirmed: it did not run, and may run now" in titles(visitor)


async def test_a_story_of_a_call_that_was_stopped_ends_with_that(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        turn = await served.assent.send("agent", "pay ada", by=USER)
        await served.assent.stop(turn.id, by=USER)
        await visitor.open(f"/history/{turn.pending[0].call_id}")
        assert titles(visitor)[2:] == ["Approval asked for", "Stopped with its conversation"]


async def test_a_story_of_a_failure_says_what_the_agent_was_told(serve: Serve) -> None:
    approver = Person("approver", roles=frozenset({"approver"}))
    async with visited(serve) as (served, visitor):
        wiped = await said(served.assent, "wipe", Approve(), by=approver)
        await visitor.open(f"/history/{wiped}")
        assert "Approved by approver via web" in visitor.text
        assert "What the agent was told" in visitor.text
        assert "the disk is on fire" in visitor.text


async def test_a_story_of_a_rejection_speaks_to_people_first(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        rejected = await said(served.assent, "pay ada", Reject(reason="too much"))
        await visitor.open(f"/history/{rejected}")
        assert "nothing ran, and the agent was told" in visitor.text
        assert "said too much" in visitor.text
        # What is meant for the model is there, folded.
        told = r'<details class="part"( open)?>\s*<summary>What the agent was told'
        assert [each.group(1) for each in re.finditer(told, visitor.page.text)] == [None]


async def test_what_the_model_wrote_to_a_tool_that_is_not_there_is_kept(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        failed = await said(served.assent, "what")
        await visitor.open(f"/history/{failed}")
        assert "Refused: no such tool" in visitor.text
        assert "anything" in visitor.text.partition("As the model wrote them")[2]


async def test_a_story_shows_progress_and_output_without_their_markup(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        looked = await said(served.assent, "look here")
        await visitor.open(f"/history/{looked}")
        assert "Progress, 1 report" in visitor.text
        assert "50%" in visitor.text
        assert "<script>alert" not in visitor.page.text
        assert "<b>it</b>" not in visitor.page.text
        assert "&lt;script&gt;alert" in visitor.page.text


async def test_a_refused_attempt_is_part_of_the_story(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        paid = await said(served.assent, "pay ada", Approve())
        [request] = await served.assent.kernel.store.run(lambda tx: tx.requests.of_call(paid))
        client = served.client("user")
        late = await client.post(f"/api/requests/{request.id}/decide", json={"verdict": "reject"})
        assert late.status_code == 409
        await visitor.open(f"/history/{paid}")
        assert "An attempt was refused by user via api" in visitor.text
        assert "already_approved" in visitor.text


async def test_a_call_that_waits_says_so_and_leads_to_where_it_is_decided(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        paid = await said(served.assent, "pay ada")
        await visitor.open(f"/history/{paid}")
        assert "Waiting for a person" in visitor.text
        assert "Review and decide" in visitor.text
        [request] = await served.assent.kernel.store.run(lambda tx: tx.requests.of_call(paid))
        assert visitor.requests == [f"/requests/{request.id}"]
        await served.assent.decide(request.id, Reject(), by=USER)
        await visitor.open(f"/history/{paid}")
        assert "Waiting for a person" not in visitor.text


# requirement: S3
async def test_no_secret_is_in_a_story_a_record_or_a_file(serve: Serve) -> None:
    async with visited(serve, "admin") as (served, visitor):
        values = Give(values={"password": f"{CANARY}-typed"})
        connected = await said(served.assent, "connect", values)
        for address in (
            "/history",
            f"/history/{connected}",
            "/audit",
            f"/audit?call={connected}",
            "/history/export?format=jsonl",
            "/history/export?format=csv",
            "/audit/export?format=jsonl",
            "/audit/export?format=csv",
        ):
            await visitor.open(address)
            assert visitor.page.status_code == 200
            assert "connect" in visitor.page.text
            assert CANARY not in visitor.page.text, address


async def test_the_record_is_for_auditors_and_has_filters(serve: Serve) -> None:
    async with visited(serve, "auditor") as (served, auditor):
        paid = await said(served.assent, "pay ada", Reject(reason="<i>too</i> much"))
        await auditor.open("/audit?action=reject")
        assert auditor.text.count("awaiting approval") == 1
        assert "&lt;i&gt;too" in auditor.page.text
        assert f"/history/{paid}" in auditor.page.text
        assert "Rejected" in auditor.text
        await auditor.open("/audit?action=sign_in")
        assert "Signed in" in auditor.text
        await auditor.open("/audit?actor=nobody")
        assert "No matching entries" in auditor.text
        await auditor.open(f"/audit?call={paid}&actor=user")
        assert re.findall(r'class="action">.*?>([a-z_]+)<', auditor.page.text) == ["reject"]
        user = await Visitor.signed_in(served, "user")
        assert (await user.open("/audit")).status_code == 403
        await user.open("/history")
        assert "/audit" not in user.page.text


async def test_a_file_of_calls_has_every_page_and_the_same_filters(serve: Serve) -> None:
    async with visited(serve) as (served, visitor):
        paid = await said(served.assent, "pay ada", Approve())
        await said(served.assent, "look here")
        await visitor.open("/history/export?format=jsonl&tool=pay")
        assert re.search(
            r'^attachment; filename="assent-calls-\d{4}-\d\d-\d\d\.jsonl"$',
            visitor.page.headers["content-disposition"],
        )
        [line] = [json.loads(each) for each in visitor.page.text.splitlines()]
        assert (line["id"], line["arguments"]) == (paid, {"amount": 40, "to": "ada"})
        assert (line["decided_by"], line["asked"]) == ("user", True)
        assert line["requests"][0]["status"] == "approved"
        await visitor.open("/history/export?format=csv")
        rows = list(csv.DictReader(io.StringIO(visitor.page.text)))
        assert [row["tool"] for row in rows] == ["look", "pay"]
        assert rows[1]["arguments"] == '{"amount":40,"to":"ada"}'
        assert (await visitor.open("/history/export?format=exe")).status_code == 422
        assert (await visitor.open("/history?after=nonsense")).status_code == 422
        headed = await served.client("user").head("/history/export?format=csv")
        assert headed.headers["content-type"] == "text/csv; charset=utf-8"


async def test_a_spreadsheet_runs_nothing_that_somebody_wrote_into_a_call(serve: Serve) -> None:
    async with visited(serve, "admin") as (served, visitor):
        await said(served.assent, "look here")
        await served.assent.send("agent", "look x", by=Person("=cmd|'/c calc'!A0"))
        await visitor.open("/history/export?format=csv")
        owners = [row["owner"] for row in csv.DictReader(io.StringIO(visitor.page.text))]
        assert owners == ["'=cmd|'/c calc'!A0", "user"]


def test_a_cell_that_begins_like_a_formula_is_text() -> None:
    for text in ("=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1", "\n=1", "＝1"):
        [[cell]] = csv.reader(io.StringIO(export.csv_row([text]), newline=""))
        assert cell == f"'{text}"
    [row] = csv.reader(
        io.StringIO(export.csv_row(["a=b", -4, None, True, 'q"uote', "a\nb"]), newline="")
    )
    assert row == ["a=b", "-4", "", "yes", 'q"uote', "a\nb"]


async def test_a_file_ends_when_whoever_asked_for_it_may_no_longer_read(serve: Serve) -> None:
    async with visited(serve) as (served, _):
        await said(served.assent, "look here")
        root = Person("root", roles=frozenset({"admin"}))
        await served.assent.people.add(Person("guest", roles=frozenset({"auditor"})), by=root)
        key, secret = await served.assent.people.issue_key(
            "guest", label="g", scopes=[Scope.READ, Scope.AUDIT], by=root
        )
        served.keys["guest"] = secret
        client = served.client("guest")
        whole = await client.get("/audit/export")
        assert "stopped" not in whole.text.splitlines()[-1]
        # Far more than any socket holds, so that the file is still being made when the key goes.
        filler = [{"note": "x" * 100_000} for _ in range(300)]
        await served.assent.kernel.store.run(
            lambda tx: [note(tx, served.assent, data) for data in filler] and None
        )
        async with client.stream("GET", "/audit/export") as response:
            lines = response.aiter_lines()
            await anext(lines)
            await served.assent.people.revoke_key(key.id, by=root)
            last = [line async for line in lines][-1]
        assert json.loads(last) == {"id": "stopped: you may no longer read this"}
        assert (await client.get("/audit/export")).status_code == 303


def note(tx: Tx, assent: Assent, data: dict[str, Any]) -> None:
    id = assent.kernel.ids("aud")
    tx.journal.note(Entry(id=id, action="filler", actor="test", data=data, at=tx.now()))


async def test_a_conversation_is_exported_from_the_story_and_that_goes_on_record(
    serve: Serve,
) -> None:
    async with visited(serve) as (served, visitor):
        looked = await said(served.assent, "look here")
        await visitor.open(f"/history/{looked}")
        await visitor.send({})
        assert visitor.page.headers["content-disposition"].startswith("attachment")
        assert visitor.page.json()["conversation"]["owner"]["id"] == "user"
        assert any(entry.action == "export" for entry in await served.assent.audit())


async def test_looking_at_history_changes_nothing(serve: Serve) -> None:
    async with visited(serve, "admin") as (served, visitor):
        paid = await said(served.assent, "pay ada")
        await asyncio.sleep(0)
        before = len(await served.assent.audit())
        for address in ("/history", f"/history/{paid}", "/audit", "/history/export"):
            assert (await visitor.open(address)).status_code == 200
        assert len(await served.assent.audit()) == before
