"""From a mail to a decision: by its link, once, by its recipient; scanners change nothing."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from assent import Audience, Person, reject, tool
from assent.channels.email import Email
from assent.domain.messages import Answer, Prompt
from assent.testing import calls, says
from tests.channels.email.mailhost import Mailhost, Received
from tests.faults.nursery import until
from tests.server.api.dumps import dump
from tests.server.conftest import Serve, Served
from tests.server.web.visitor import Visitor

ORIGIN = "https://assent.example"
ADDRESS = "approver@example.com"
ROOT = Person("root", roles=frozenset({"admin"}))


def tools(done: list[str], **options: Any) -> list[Any]:
    @tool(requires_approval=True, approvers=Audience.of("approver"), **options)
    async def erase(path: str) -> str:
        """Erase a file."""
        done.append(path)
        return "erased"

    return [erase]


def script(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("", calls("erase", path="/srv/x"))


@asynccontextmanager
async def mailed(serve: Serve, *tools_: Any) -> AsyncGenerator[tuple[Served, Mailhost]]:
    """A service that mails its approver."""
    async with Mailhost() as host:
        channel = Email(host="127.0.0.1", port=host.port, tls="none", sender="assent@example.com")
        async with serve(script, *tools_, channels=channel, review_url=ORIGIN) as served:
            await served.assent.people.chats.welcome("approver", "email", ADDRESS, "Ada")
            yield served, host


async def asked(served: Served, host: Mailhost) -> Received:
    """The mail about a new request."""
    count = len(host.received)
    account = await served.assent.people.get("user")
    await served.assent.send("agent", "go", by=account.person)
    await until(lambda: len(host.received) > count)
    return host.received[-1]


def links(mail: Received) -> list[str]:
    """The paths of all links of ours, as a scanner finds them."""
    texts = mail.part("plain") + mail.part("html") + str(mail.message["List-Unsubscribe"])
    return sorted(set(re.findall(rf"{ORIGIN}(/[^\s\"<>]+)", texts)))


def review(mail: Received) -> str:
    [found] = [path for path in links(mail) if path.startswith("/r/")]
    return found


# requirement: W2
async def test_the_link_opens_the_review_and_its_recipient_decides(serve: Serve) -> None:
    done: list[str] = []
    async with mailed(serve, *tools(done)) as (served, host):
        mail = await asked(served, host)
        visitor = Visitor(served)
        await visitor.open(review(mail))
        assert "A request waits for you" in visitor.text
        await visitor.send({})
        await visitor.send({}, "approve")
        assert "Recorded" in visitor.text
        await until(lambda: done == ["/srv/x"])
        # Who decided it knows how it ended: no further mail.
        await until(lambda: _is_idle(served))

    assert len(host.received) == 1


async def _is_idle(served: Served) -> bool:
    return not await served.assent.channels.is_behind("email")


# requirement: W1
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_scanners_that_follow_every_link_change_nothing(serve: Serve, method: str) -> None:
    async with mailed(serve, *tools([])) as (served, host):
        mail = await asked(served, host)
        await until(lambda: _is_idle(served))
        paths = links(mail)
        assert [path.split("/")[1] for path in paths] == ["r", "stop"]
        before = await dump(served.assent.url)
        for path in paths * 2:
            answer = await served.client(None).request(method, path)
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers
        after = await dump(served.assent.url)
        # The process renews its hold on the channel by itself.
        assert {n: rows for n, rows in after.items() if n != "channels"} == {
            n: rows for n, rows in before.items() if n != "channels"
        }
        await served.client(None).post("/r", data={"token": review(mail).removeprefix("/r/")})


# requirement: W2
async def test_a_link_works_once_and_an_altered_one_never(serve: Serve) -> None:
    async with mailed(serve, *tools([])) as (served, host):
        token = review(await asked(served, host)).removeprefix("/r/")
        for wrong in (token[:-1], f"{token}x", token.swapcase()):
            assert (await served.client(None).post("/r", data={"token": wrong})).status_code == 404
        first = await served.client(None).post("/r", data={"token": token})
        second = await served.client(None).post("/r", data={"token": token})

    assert (first.status_code, second.status_code) == (303, 404)


# requirement: W3
async def test_a_link_is_dead_when_the_request_is_decided_or_over(serve: Serve) -> None:
    async with mailed(serve, *tools([], decide_within=timedelta(hours=2))) as (served, host):
        mail = await asked(served, host)
        token = review(mail).removeprefix("/r/")
        link = await served.assent.people.links.look(token)
        assert link is not None
        assert link.request_id is not None
        request = await served.assent.request(link.request_id)
        assert request.decide_by is not None
        assert link.expires_at <= request.decide_by
        await served.assent.decide(
            request, reject("no"), by=Person("root", roles=frozenset({"approver"}))
        )

        assert (await served.client(None).get(f"/r/{token}")).status_code == 404
        assert (await served.client(None).post("/r", data={"token": token})).status_code == 404
        # And the mail after it says so.
        await until(lambda: len(host.received) == 2)

    ended = host.received[1]
    assert "Rejected by root" in ended.part("plain")
    assert ended.message["In-Reply-To"] == mail.message["Message-ID"]
    assert [path.split("/")[1] for path in links(ended)] == ["requests", "stop"]


# requirement: W13
async def test_an_address_is_linked_by_a_code_that_only_its_mailbox_gets(serve: Serve) -> None:
    async with mailed(serve, *tools([])) as (served, host):
        user = (await served.assent.people.get("user")).person
        await served.assent.channels.invite("email", " User@Example.COM ", by=user)
        [mail] = host.received
        assert mail.to == "user@example.com"
        code = re.search(r"[2-9A-Z]{5}-[2-9A-Z]{5}", mail.part("plain"))
        assert code
        assert code[0] in mail.part("html")
        assert await served.assent.people.chats.of("user") == []
        linked = await served.assent.people.chats.link_person(code[0], user)

    assert (linked.channel, linked.chat_id, linked.person) == ("email", "user@example.com", "user")


async def test_one_click_stops_the_next_mail(serve: Serve) -> None:
    async with mailed(serve, *tools([])) as (served, host):
        mail = await asked(served, host)
        header = str(mail.message["List-Unsubscribe"])
        assert mail.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        path = header.removeprefix(f"<{ORIGIN}").removesuffix(">")
        answer = await served.client(None).post(path, data={"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        account = await served.assent.people.get("user")
        await served.assent.send("agent", "again", by=account.person)
        await until(lambda: _is_idle(served))

    assert len(host.received) == 1
