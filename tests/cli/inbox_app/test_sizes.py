"""Small terminals, changing ones, and inboxes of ten thousand."""

import time
from collections.abc import AsyncGenerator

import pytest

from assent.cli.inbox_app.app import InboxApp
from assent.cli.inbox_app.backend import (
    PAGE_ROWS,
    Connected,
    InboxCard,
    InboxChange,
    InboxRow,
    RequestAdded,
    RowPage,
)
from assent.cli.inbox_app.pages import InboxPages
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import RequestKind
from assent.domain.tools import Risk
from assent.engine.queries.previews import EditPreview
from assent.errors import NotFound
from tests.cli.inbox_app.office import SHORT, Office, Seat
from tests.store.rawsql import RawSql


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (45, 15), (43, 14)])
async def test_a_request_is_read_and_decided_on_a_small_terminal(
    local_office: Office, size: tuple[int, int]
) -> None:
    await local_office.asks("delete_file", path="notes.txt")
    async with local_office.seat(size=size) as seat:
        await seat.sees("DANGEROUS", "delete_file")
        await seat.read()
        await seat.sees("e  edit", "r  reject", "a  approve")
        await seat.press("a")
        await seat.sees("Type yes")
        await seat.type("yes\n")
        await seat.sees("Approved: delete_file.")
        await seat.press("escape")
        await seat.sees("Nothing waits for you.")


async def test_a_terminal_too_narrow_for_a_card_says_so_and_approves_nothing(
    local_office: Office,
) -> None:
    id = await local_office.asks("note", text="hello")
    async with local_office.seat(size=(30, 15)) as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.sees("A card takes 40 columns.")
        await seat.press("a", "e")
        assert await local_office.status(id) == "open"
        await seat.pilot.resize_terminal(80, 24)
        await seat.sees("Approval needed")
        await seat.finish()
        await seat.press("a")
        await seat.sees("Approved: note.")


async def test_another_width_is_laid_out_anew_and_read_anew(office: Office) -> None:
    text = " ".join(f"word{number}" for number in range(400))
    id = await office.asks("note", text=text)
    async with office.seat(size=(120, 30)) as seat:
        await seat.read()
        assert seat.view.is_seen
        await seat.pilot.resize_terminal(70, 20)
        await seat.until(lambda: not seat.view.is_seen)
        await seat.until(lambda: seat.view.in_sight[0] == 1)
        await seat.press("a")
        await seat.sees("Read it to its end first")
        await seat.finish()
        card = await seat.backend.card(id, seat.view.columns)
        await seat.press("a")
        await seat.sees("Approved: note.")
    [made] = await office.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
    assert made.shown == card.shown


async def test_from_wide_to_narrow_and_back_the_selection_stays(local_office: Office) -> None:
    for text in ("one", "two", "three"):
        await local_office.asks("note", text=text)
    async with local_office.seat(size=(120, 30)) as seat:
        await seat.until(lambda: len(seat.list.rows) == 3)
        await seat.press("down", "down")
        assert seat.list.selected is not None
        before = seat.list.selected.id
        for width, height in ((60, 15), (41, 10), (140, 50)):
            await seat.pilot.resize_terminal(width, height)
            await seat.pilot.pause()
            assert seat.list.selected.id == before
        await seat.sees('"two"')


class Crowd:
    """A back end with a great many requests, which counts what is read of it."""

    person, place = "ana", "a crowd"

    def __init__(self, size: int) -> None:
        self.ids = [f"req_{number:05}" for number in range(size)]
        self.reads = 0

    async def page(self, after: str | None) -> RowPage:
        self.reads += 1
        start = 0 if after is None else int(after)
        ids = self.ids[start : start + PAGE_ROWS]
        end = start + PAGE_ROWS
        rows = tuple(
            InboxRow(
                id=id,
                kind=RequestKind.APPROVAL,
                risk=Risk.MODERATE,
                tool=f"tool_{id[4:]}",
                agent="agent",
                owner="ana",
                in_short='text="x"',
                deadline=None,
            )
            for id in ids
        )
        return RowPage(rows=rows, next=str(end) if end < len(self.ids) else None)

    async def card(self, request_id: str, columns: int) -> InboxCard:
        raise NotFound("request", request_id)

    async def preview(self, card: InboxCard, verdict: Verdict, columns: int) -> EditPreview | None:
        raise NotFound("request", card.request_id)

    async def decide(self, card: InboxCard, verdict: Verdict, shown: str | None) -> str:
        raise NotFound("request", card.request_id)

    async def changes(self) -> AsyncGenerator[InboxChange]:
        yield Connected()


async def test_ten_thousand_requests_are_walked_through_page_by_page() -> None:
    crowd = Crowd(10_000)
    app = InboxApp(crowd, SHORT)
    async with app.run_test(size=(80, 24)) as pilot:
        seat = Seat(app, pilot, crowd)
        await seat.sees("tool_00000", f"{PAGE_ROWS}+ waiting")
        assert len(seat.list.rows) == PAGE_ROWS
        await seat.press("end", "down")
        await seat.sees("tool_00100", "page 2")
        await seat.press("end", "down")
        await seat.sees("tool_00200", "page 3")
        await seat.press("up")
        await seat.sees("tool_00199", "page 2")
        assert len(seat.list.rows) == PAGE_ROWS


async def test_news_of_thousands_read_the_list_a_few_times() -> None:
    crowd = Crowd(10_000)
    app = InboxApp(crowd, SHORT)
    async with app.run_test(size=(80, 24)) as pilot:
        seat = Seat(app, pilot, crowd)
        await seat.sees("tool_00000")
        began, before = time.monotonic(), crowd.reads
        while time.monotonic() - began < 1.2:
            for _ in range(100):
                seat.inbox._take(RequestAdded("req_x"))
            await pilot.pause(0.01)
        # One read every half a second, however many arrive.
        assert crowd.reads - before <= 5
        await seat.press("down", "down")
        assert seat.list.selected is not None


async def test_a_page_that_emptied_gives_way_to_the_one_before() -> None:
    crowd = Crowd(150)
    pages = InboxPages(backend=crowd)
    await pages.read()
    assert pages.turn(1)
    assert len(await pages.read()) == 50
    crowd.ids = crowd.ids[:100]
    assert len(await pages.read()) == 100
    assert pages.number == 1
    assert not pages.turn(1)
    assert not pages.turn(-1)


async def multiplied(office: Office, id: str, times: int) -> None:
    """The same question as many times, each in a conversation of its own."""
    sql = RawSql(office.url)
    request = await office.assent.request(id)
    message = await sql.one(f"SELECT message_id FROM calls WHERE id = '{request.call_id}'")
    rows = {
        "conversations": request.conversation_id,
        "turns": request.turn_id,
        "messages": message,
        "calls": request.call_id,
        "requests": id,
    }
    other = {f"{table.removesuffix('s')}_id": f"'{table}_' || i" for table in rows}
    for table, known in rows.items():
        columns = [str(row[1]) for row in await sql.rows(f"PRAGMA table_info({table})")]
        fresh: dict[str, str] = {**other, "id": f"'{table}_' || i"}
        await sql.rows(
            f"INSERT INTO {table} ({', '.join(columns)}) "
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times}) "
            f"SELECT {', '.join(fresh.get(name, name) for name in columns)} "
            f"FROM {table}, n WHERE id = '{known}'"
        )


async def test_an_inbox_of_ten_thousand_rows_is_read_in_pages_and_decided(office: Office) -> None:
    id = await office.asks("note", text="hello")
    await multiplied(office, id, 10_000)
    async with office.seat(size=(120, 30)) as seat:
        await seat.sees("note", f"{PAGE_ROWS}+ waiting")
        assert len(seat.list.rows) == PAGE_ROWS
        await seat.press("end", "down", "down")
        await seat.sees("page 2")
        await seat.finish()
        await seat.press("r")
        await seat.sees("Why not?")
        await seat.press("enter")
        await seat.sees("Rejected: note.")
