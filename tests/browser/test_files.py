"""Files of a form: chosen, dropped and pasted, with a script and without, on desktop and phone."""

import hashlib
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from assent import Field, FieldType, File, UserInput, tool
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, script, wants

PDF = b"%PDF-1.7\n" + b"one line of an invoice\n" * 30_000


def png(width: int, height: int) -> bytes:
    """A small picture in two colours."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    colours = (bytes((240, 200, 60)), bytes((40, 90, 200)))
    rows = b"".join(
        b"\0" + b"".join(colours[(x // 40 + y // 40) % 2] for x in range(width))
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


PNG = png(320, 200)


class Desk:
    """Where the invoices go."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []

    def tool(self) -> Any:
        form = UserInput(
            "The supplier wants the papers.",
            [
                Field("invoice", type=FieldType.FILE, kinds="application/pdf", max_bytes=1_000_000),
                Field("photos", type=FieldType.FILE, kinds="image/*", max_files=3, required=False),
                Field("iban", label="IBAN", pattern=r"[A-Z]{2}\d{4}"),
            ],
        )

        @tool(requires_approval=True, user_input=form)
        async def pay_invoice(
            to: str, invoice: File, iban: str, photos: list[File] | None = None
        ) -> str:
            """Pay an invoice."""
            self.sent += [(each.name, each.read()) for each in (invoice, *(photos or ()))]
            return f"paid {iban}"

        return pay_invoice


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def papers(tmp_path: Path) -> dict[str, Path]:
    made = {
        "march.pdf": PDF,
        "photo.png": PNG,
        "other.png": png(200, 320),
        "fake.pdf": b"MZ" + bytes(500),
        "large.pdf": b"%PDF-1.7" + bytes(1_100_000),
    }
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in made}


async def opened(house: House, **options: Any) -> Page:
    return await house.visit(path=await house.ask(wants("pay_invoice", to="eve")), **options)


async def approved(house: House, page: Page) -> None:
    [waiting] = await house.assent.pending(person=person("user"))
    await page.goto(f"/requests/{waiting.id}")
    await expect(page.get_by_role("heading", name="Files")).to_be_visible()
    # Only what was looked at to its end can be approved.
    await page.keyboard.press("End")
    await page.get_by_role("button", name="Approve").first.click()
    await expect(page.get_by_text("Recorded.")).to_be_visible()
    await house.assent.wait(waiting.turn_id)


async def drop(page: Page, field: str, name: str, content: bytes, kind: str) -> None:
    """Let go of a file over a field."""
    data = await page.evaluate_handle(
        """([name, bytes, kind]) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], name, { type: kind }));
          return data;
        }""",
        [name, list(content), kind],
    )
    place = f"file-field[data-name='field.{field}']"
    await page.dispatch_event(place, "dragover", {"dataTransfer": data})
    await expect(page.locator(f"{place}.is-over")).to_be_visible()
    await page.dispatch_event(place, "drop", {"dataTransfer": data})


async def test_chosen_dropped_and_pasted_files_reach_the_body(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path]
) -> None:
    async with open_house(script, desk.tool()) as house:
        page = await opened(house)
        await page.get_by_label("Invoice").set_input_files(papers["march.pdf"])
        await expect(page.get_by_role("checkbox", name="march.pdf")).to_be_checked()
        await expect(page.get_by_text("PDF, 690 kB")).to_be_visible()
        await drop(page, "photos", "photo.png", PNG, "image/png")
        await expect(page.get_by_role("checkbox", name="photo.png")).to_be_checked()
        await page.get_by_label("Photos").focus()
        await page.evaluate(
            """(bytes) => {
              const data = new DataTransfer();
              const picture = new Uint8Array(bytes);
              data.items.add(new File([picture], "pasted.png", { type: "image/png" }));
              document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
            }""",
            list(papers["other.png"].read_bytes()),
        )
        await expect(page.get_by_role("checkbox", name="pasted.png")).to_be_checked()
        assert await serious(page) == []
        await page.get_by_label("IBAN").fill("DE1234")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Recorded.")).to_be_visible()
        await approved(house, page)

    assert [name for name, _ in desk.sent] == ["march.pdf", "photo.png", "pasted.png"]
    assert desk.sent[0][1] == PDF
    assert desk.sent[1][1] == PNG


async def test_text_with_a_picture_of_it_is_pasted_as_text(
    open_house: OpenHouse, desk: Desk
) -> None:
    # What a spreadsheet puts on the clipboard for cells that are copied.
    async with open_house(script, desk.tool()) as house:
        page = await opened(house)
        await page.get_by_label("IBAN").focus()
        is_taken = await page.evaluate(
            """(bytes) => {
              const data = new DataTransfer();
              data.items.add(new File([new Uint8Array(bytes)], "c.png", { type: "image/png" }));
              data.setData("text/plain", "DE1234");
              const paste = { clipboardData: data, bubbles: true, cancelable: true };
              return !document.activeElement.dispatchEvent(new ClipboardEvent("paste", paste));
            }""",
            list(PNG),
        )
        rows = await page.locator("file-field li").count()

    assert (is_taken, rows) == (False, 0)


async def test_what_is_refused_says_why_and_the_rest_stays(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path]
) -> None:
    async with open_house(script, desk.tool()) as house:
        page = await opened(house)
        invoice = page.get_by_label("Invoice")
        await invoice.set_input_files(papers["march.pdf"])
        await invoice.set_input_files(papers["fake.pdf"])
        await expect(page.get_by_text("The file is, by its content, no PDF.")).to_be_visible()
        await invoice.set_input_files(papers["large.pdf"])
        await expect(page.get_by_text("It is too large for this field.")).to_be_visible()
        # A problem elsewhere does not lose what was sent.
        await page.get_by_label("IBAN").fill("nonsense")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Some answers are missing or do not fit")).to_be_visible()
        await expect(page.get_by_role("checkbox", name="march.pdf")).to_be_checked()
        # And neither does another visit.
        await page.goto(page.url)
        await expect(page.get_by_role("checkbox", name="march.pdf")).to_be_checked()
        assert await serious(page) == []


async def test_progress_is_shown_and_a_stopped_upload_leaves_nothing(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path]
) -> None:
    async with open_house(script, desk.tool()) as house:
        page = await opened(house)
        # A line so slow that the file is under way when somebody looks.
        session = await page.context.new_cdp_session(page)
        slow = {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": 90_000,
        }
        await session.send("Network.emulateNetworkConditions", {"offline": False, **slow})
        await page.get_by_label("Invoice").set_input_files(papers["march.pdf"])
        bar = page.get_by_role("progressbar", name="Sending march.pdf")
        await expect(bar).to_be_visible()
        await page.get_by_role("button", name="Send the answers").click()
        # The form waits for what is under way.
        assert "/requests/" in page.url
        await expect(bar).to_be_visible()
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_text("Stopped: nothing of it was kept.")).to_be_visible()
        [request] = await house.assent.pending(person=person("user"))
        assert await house.assent.files.of_request(request, by=person("user")) == []


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (413, "It is too large for this service."),
        (502, "It did not arrive. Try again."),
        # The page on which people sign in again.
        (200, "It did not arrive. Try again."),
    ],
)
async def test_what_a_proxy_says_of_a_file_ends_its_upload(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path], *, status: int, words: str
) -> None:
    async def answered(route: Route) -> None:
        page = "<html><h1>Request Entity Too Large</h1></html>"
        await route.fulfill(status=status, content_type="text/html", body=page)

    async with open_house(script, desk.tool()) as house:
        page = await opened(house)
        house.watch.tolerate("Failed to load resource")
        await page.route("**/files/photos?*", answered)
        await page.get_by_label("Photos").set_input_files(papers["photo.png"])
        await expect(page.get_by_text(words)).to_be_visible()
        # Nothing is under way any more, so the form can be sent.
        await page.get_by_label("Invoice").set_input_files(papers["march.pdf"])
        await expect(page.get_by_role("checkbox", name="march.pdf")).to_be_checked()
        await page.get_by_label("IBAN").fill("DE1234")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Recorded.")).to_be_visible()


async def test_without_a_script_a_form_sends_files_and_keeps_them_over_an_error(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path]
) -> None:
    async with open_house(script, desk.tool()) as house:
        page = await opened(house, script=False, phone=True)
        await page.get_by_label("Invoice").set_input_files(papers["march.pdf"])
        await page.get_by_label("Photos").set_input_files(
            [papers["photo.png"], papers["other.png"]]
        )
        await page.get_by_label("IBAN").fill("wrong")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Some answers are missing or do not fit")).to_be_visible()
        for name in ("march.pdf", "photo.png", "other.png"):
            await expect(page.get_by_role("checkbox", name=name)).to_be_checked()
        await page.get_by_role("checkbox", name="other.png").uncheck()
        await page.get_by_label("IBAN").fill("DE1234")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Recorded.")).to_be_visible()
        await approved(house, page)

    assert desk.sent == [("march.pdf", PDF), ("photo.png", PNG)]


async def test_a_picture_is_drawn_anew_and_a_download_is_saved(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path]
) -> None:
    marked = PNG[:-12] + b"\0\0\0\x04tEXtmark\0\0\0\0" + PNG[-12:]
    papers["photo.png"].write_bytes(marked)
    async with open_house(script, desk.tool()) as house:
        page = await opened(house, theme="dark")
        await page.get_by_label("Invoice").set_input_files(papers["march.pdf"])
        await page.get_by_label("Photos").set_input_files(papers["photo.png"])
        for name in ("march.pdf", "photo.png"):
            await expect(page.get_by_role("checkbox", name=name)).to_be_checked()
        await page.get_by_label("IBAN").fill("DE1234")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Recorded.")).to_be_visible()
        [waiting] = await house.assent.pending(person=person("user"))
        await page.goto(f"/requests/{waiting.id}")
        picture = page.get_by_role("img", name="A picture of photo.png")
        await expect(picture).to_be_visible()
        assert await picture.evaluate("image => image.naturalWidth") == 320
        answer = await page.request.get(str(await picture.get_attribute("src")))
        assert answer.headers["content-type"] in ("image/png", "image/jpeg")
        assert b"mark" not in await answer.body()
        assert await serious(page) == []
        async with page.expect_download() as saving:
            row = page.get_by_role("listitem").filter(has_text="march.pdf")
            await row.get_by_role("link", name="Download").click()
        saved = await saving.value
        assert saved.suggested_filename == "march.pdf"
        content = Path(await saved.path()).read_bytes()  # noqa: ASYNC240 - a small file of a test
        assert hashlib.sha256(content).digest() == hashlib.sha256(PDF).digest()


@pytest.mark.parametrize("script_runs", [True, False], ids=["script", "no script"])
async def test_a_form_with_files_is_filled_in_where_it_was_asked_for(
    open_house: OpenHouse, desk: Desk, papers: dict[str, Path], script_runs: bool
) -> None:
    async with open_house(script, desk.tool()) as house:
        turn = await house.assent.send("agent", wants("pay_invoice", to="eve"), by=person("user"))
        page = await house.visit(path=f"/chat/{turn.conversation_id}", script=script_runs)
        form = page.locator(".inline-form")
        await form.get_by_label("Invoice").set_input_files(papers["march.pdf"])
        await form.get_by_label("Photos").set_input_files(papers["photo.png"])
        if script_runs:
            await expect(form.get_by_role("checkbox", name="march.pdf")).to_be_checked()
            assert await serious(page) == []
        house.watch.tolerate("status of 422")
        # Something is missing: the file that has come stays.
        await form.get_by_role("button", name="Send the answers").click()
        await expect(form.get_by_role("alert")).to_be_visible()
        await expect(form.get_by_role("checkbox", name="march.pdf")).to_be_checked()
        await form.get_by_label("IBAN").fill("DE0000")
        await form.get_by_role("button", name="Send the answers").click()
        await expect(page.locator(".inline-form")).to_have_count(0)
        await approved(house, page)
    assert desk.sent == [("march.pdf", PDF), ("photo.png", PNG)]
