"""The demo as its users meet it: sentences in, questions decided, answers out, over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Assent
from assent.demo.accounts import ensure_accounts
from assent.demo.agent import AGENT, PEOPLE_MAY_ALLOW, Home, demo_agent
from assent.demo.sentences import HELP
from assent.server import Settings, create_app
from tests.server.conftest import listening

SENTENCES = [line.strip() for line in HELP.splitlines() if line.startswith("  ")]
VALUES = {
    "quickbooks_realm_id": "9130346988354456",
    "database_name": "archive",
    "ssh_username": "ada",
    "ssh_login": "password",
    "ssh_password": "swordfish",
    "name": "Ada Lovelace",
    "street": "1 Main Street",
    "city": "1234 Town",
    "abroad": False,
    "speed": "express",
    "card": "4111111111111111",
    "count": 2,
    "limit": "800 EUR",
    "by": "2026-07-01 09:00 Europe/Berlin",
    "receipt": "ada@example.com",
    "labels": {"team": "blue"},
    "terms": True,
    "amount": "12.5 EUR",
}
INVOICE = b"%PDF-1.7 an invoice of Papyrus"
Json = dict[str, Any]


class Demo:
    """A demo that is served, and a client for each of its accounts."""

    def __init__(self, home: Home, clients: dict[str, httpx.AsyncClient]) -> None:
        self.home = home
        self.user, self.approver = clients["user"], clients["approver"]
        self.admin = clients["admin"]

    async def say(
        self, text: str, *, by: httpx.AsyncClient | None = None, conversation: str | None = None
    ) -> Json:
        """The turn that a sentence leads to, at rest."""
        client = by or self.user
        if conversation is None:
            made = await client.post("/api/conversations", json={"agent": AGENT})
            conversation = made.json()["id"]
        sent = await client.post(f"/api/conversations/{conversation}/messages", json={"text": text})
        return await rested(client, sent.raise_for_status().json()["id"])

    async def settle(self, turn: Json) -> Json:
        """Say yes to everything that is asked, each by somebody who may."""
        while turn["pending"]:
            for request in turn["pending"]:
                who = self.user if request["may_decide"] else self.approver
                said = yes(request)
                if request["kind"] == "input":
                    said["values"] |= await found(who, request)
                (await decide(who, request["id"], **said)).raise_for_status()
            turn = await rested(self.user, turn["id"])
        return turn


def yes(request: Json) -> Json:
    match request["kind"]:
        case "approval":
            return {"verdict": "approve", "digest": request["digest"]}
        case "input":
            wanted = {
                "quickbooks_online_api_request": ("quickbooks_realm_id",),
                "query_database": ("database_name",),
                "ship_parcel": ("name", "street", "city", "abroad", "speed", "card"),
                "ssh_connect": ("ssh_username", "ssh_login", "ssh_password"),
                "order_supplies": ("count", "limit", "by", "receipt", "labels", "terms"),
                "pay_invoice": ("amount",),
            }[request["tool"]]
            return {"verdict": "answer", "values": {name: VALUES[name] for name in wanted}}
        case "result":
            return {"verdict": "supply", "output": "yes"}
    raise AssertionError(request)


async def found(client: httpx.AsyncClient, request: Json) -> Json:
    """The answers that only the server has: what a search found, and what was uploaded."""
    address = f"/api/requests/{request['id']}"
    match request["tool"]:
        case "order_supplies":
            query = {"query": "chair blue 7"}
            options = await client.get(f"{address}/fields/article/options", params=query)
            return {"article": options.raise_for_status().json()["options"][0]["proof"]}
        case "pay_invoice":
            named = {"name": "../March.pdf"}
            sent = await client.put(f"{address}/files/invoice", params=named, content=INVOICE)
            return {"invoice": sent.raise_for_status().json()}
        case _:
            return {}


async def decide(client: httpx.AsyncClient, request: str, **said: Any) -> httpx.Response:
    return await client.post(f"/api/requests/{request}/decide", json=said)


async def rested(client: httpx.AsyncClient, turn_id: str) -> Json:
    async with asyncio.timeout(30):
        while True:
            turn: Json = (await client.get(f"/api/turns/{turn_id}")).raise_for_status().json()
            if turn["resting"]:
                return turn
            await asyncio.sleep(0.02)


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[Demo]:
    home = Home(root=tmp_path / "demo")
    home.furnish()
    assent = Assent(home.url, agents=[demo_agent(home)], people_may_allow=PEOPLE_MAY_ALLOW)
    async with AsyncExitStack() as stack:
        app = create_app(assent, Settings(agent=AGENT))
        base = await stack.enter_async_context(listening(app))
        clients: dict[str, httpx.AsyncClient] = {}
        for name, key in (await ensure_accounts(assent.people, home.root)).items():
            headers = {"Authorization": f"Bearer {key}"}
            client = httpx.AsyncClient(base_url=base, headers=headers, trust_env=False, timeout=30)
            clients[name] = await stack.enter_async_context(client)
        yield Demo(home, clients)


async def test_whatever_help_offers_comes_to_an_answer(demo: Demo) -> None:
    async def told(sentence: str) -> tuple[str, Json]:
        return sentence, await demo.settle(await demo.say(sentence))

    # Files that one sentence deletes are another's to read: those come last.
    first = [sentence for sentence in SENTENCES if not sentence.startswith("delete")]
    turns = [*await asyncio.gather(*map(told, first)), await told("delete test.txt and notes.txt")]

    for sentence, turn in turns:
        assert (sentence, turn["status"], turn["error"]) == (sentence, "done", None)
        assert [call["status"] for call in turn["calls"]] == ["succeeded"] * len(turn["calls"])
        assert turn["text"]
    assert (demo.home.workspace / "hello.txt").read_text() == "Hello, world!\n"
    assert not (demo.home.workspace / "test.txt").exists()


async def test_a_user_confirms_what_their_own_agent_wants(demo: Demo) -> None:
    turn = await demo.say("Perform a dangerous operation on test.txt")
    [request] = turn["pending"]

    assert request["may_decide"]
    for stranger in (demo.approver,):
        assert (await decide(stranger, request["id"], **yes(request))).status_code == 404
    assert not (demo.home.workspace / "danger.log").exists()


# requirement: T4
async def test_a_command_is_for_an_approver_and_not_for_who_asked(demo: Demo) -> None:
    [request] = (await demo.say("run touch ran"))["pending"]
    assert not request["may_decide"]
    assert (await decide(demo.user, request["id"], **yes(request))).status_code == 403

    [own] = (await demo.say("run touch own", by=demo.approver))["pending"]
    assert (await decide(demo.approver, own["id"], **yes(own))).status_code == 403

    mine = (await demo.approver.get("/api/requests", params={"mine": True})).json()["items"]
    assert [each["id"] for each in mine] == [request["id"]]
    (await decide(demo.approver, request["id"], **yes(request))).raise_for_status()
    await rested(demo.user, request["turn_id"])
    assert (demo.home.workspace / "ran").exists()
    assert not (demo.home.workspace / "own").exists()


async def test_an_edit_runs_as_edited_and_the_answer_says_so(demo: Demo) -> None:
    turn = await demo.say("write hello.txt: Hello")
    [request] = turn["pending"]
    arguments = {"path": "bye.txt", "content": "Bye\n"}
    edit = {"verdict": "edit", "digest": request["digest"], "arguments": arguments}
    (await decide(demo.user, request["id"], **edit)).raise_for_status()
    turn = await rested(demo.user, turn["id"])

    assert "A person changed the arguments" in turn["text"]
    assert (demo.home.workspace / "bye.txt").read_text() == "Bye\n"
    assert not (demo.home.workspace / "hello.txt").exists()


async def test_a_rejection_is_answered_with_its_reason(demo: Demo) -> None:
    turn = await demo.say("delete test.txt")
    [request] = turn["pending"]
    await decide(demo.user, request["id"], verdict="reject", reason="I still need it")
    turn = await rested(demo.user, turn["id"])

    assert turn["text"].startswith("delete_file did not run.")
    assert "I still need it" in turn["text"]
    assert (demo.home.workspace / "test.txt").exists()


async def test_a_failure_is_answered_as_one(demo: Demo) -> None:
    turn = await demo.say("read nowhere.txt")

    assert turn["text"].startswith("read_file failed. FileNotFoundError")


async def test_a_saved_answer_is_asked_once_and_any_other_each_time(demo: Demo) -> None:
    turn = await demo.settle(await demo.say("Get my P&L report for Q1 2025"))
    here = turn["conversation_id"]
    again = await demo.say("Get my P&L report for Q2 2025", conversation=here)
    assert (again["status"], again["pending"]) == ("done", [])

    await demo.settle(await demo.say("query orders", conversation=here))
    [asked] = (await demo.say("query orders", conversation=here))["pending"]
    assert asked["kind"] == "input"


async def test_a_large_refund_is_what_the_person_says(demo: Demo) -> None:
    small = await demo.say("refund 40")
    assert small["pending"] == []

    turn = await demo.say("refund 400")
    [request] = turn["pending"]
    await decide(demo.user, request["id"], verdict="supply", output=250)
    turn = await rested(demo.user, turn["id"])
    assert "amount: 250" in turn["text"]


async def test_a_secret_of_a_form_is_nowhere_in_the_demo(demo: Demo) -> None:
    turn = await demo.settle(await demo.say("connect to example.com"))

    assert "with a password of 9 characters" in turn["text"]
    conversation = await demo.user.get(f"/api/conversations/{turn['conversation_id']}")
    assert "swordfish" not in conversation.text
    audit = await demo.admin.get("/api/audit")
    assert audit.status_code == 200
    assert "swordfish" not in audit.text
    files = [path for path in demo.home.root.rglob("*") if path.is_file()]
    assert not [path for path in files if b"swordfish" in path.read_bytes()]


async def test_a_file_is_uploaded_approved_by_its_digest_and_read(demo: Demo) -> None:
    turn = await demo.say("pay the invoice of Papyrus")
    [form] = turn["pending"]
    values = {"amount": "12.5 EUR"} | await found(demo.user, form)
    (await decide(demo.user, form["id"], verdict="answer", values=values)).raise_for_status()
    turn = await rested(demo.user, turn["id"])
    [asked] = turn["pending"]
    digest = sha256(INVOICE).hexdigest()
    shown = (await demo.user.get(f"/api/requests/{asked['id']}")).raise_for_status().json()
    assert shown["arguments"]["invoice"]["sha256"] == digest

    turn = await demo.settle(turn)
    assert f"to Papyrus for March.pdf: 30 bytes read, SHA-256 {digest[:12]}…" in turn["text"]


async def test_an_article_is_searched_for_and_the_next_order_suggests_the_receipt(
    demo: Demo,
) -> None:
    turn = await demo.settle(await demo.say("order chairs for the office"))
    assert "2 × Chair, blue, model 7 for chairs for the office" in turn["text"]
    assert "by 2026-07-01 09:00 +02:00, for at most 800.00 EUR" in turn["text"]

    [form] = (await demo.say("order lamps"))["pending"]
    whole = (await demo.user.get(f"/api/requests/{form['id']}")).raise_for_status().json()
    assert "ada@example.com" in str(whole["suggestions"]["receipt"])


async def test_people_have_rules_of_their_own(demo: Demo) -> None:
    read = {"effect": "ask", "tool": "read_file"}
    (await demo.user.post("/api/me/rules", json=read)).raise_for_status()
    [asked] = (await demo.say("read notes.txt"))["pending"]
    assert asked["reason"] == "You asked to be asked about calls of read_file."

    write = {"effect": "allow", "tool": "write_file"}
    (await demo.user.post("/api/me/rules", json=write)).raise_for_status()
    assert (await demo.say("write hello.txt: Hello"))["pending"] == []

    delete = {"effect": "allow", "tool": "delete_file"}
    assert (await demo.user.post("/api/me/rules", json=delete)).status_code == 403


async def test_the_long_story_comes_bit_by_bit_and_can_be_stopped(demo: Demo) -> None:
    said = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "tell me a long story"}]}
    heard, stopped = "", None
    async with demo.user.stream("POST", "/api/chat", json={"id": "s", "messages": [said]}) as story:
        async for line in story.aiter_lines():
            heard += line
            if stopped is None and "Once" in heard:
                stopped = await demo.user.post("/api/conversations/s/stop")

    assert stopped is not None
    assert stopped.json()["status"] == "stopped"
    assert "whole story" not in heard
    messages = (await demo.user.get("/api/conversations/s")).json()["messages"]
    assert messages[-1]["incomplete"]
    assert "whole story" not in messages[-1]["text"]
