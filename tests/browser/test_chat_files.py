"""Files of messages in the chat: chosen, dropped and pasted, with a script and without."""

import base64
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from assent.domain.messages import MediaBlock, Prompt, UserSaid
from assent.testing import ScriptedModel, says
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.office import person, wants
from tests.browser.test_files import PNG, png

NOTES = b"notes of a meeting\n"
PARTS = 10_000_000


def read_aloud(prompt: Prompt) -> Any:
    """Name what the newest message carries."""
    said = prompt.history[-1]
    assert isinstance(said, UserSaid)
    names = [f"{b.name} ({b.media_type})" for b in said.files if isinstance(b, MediaBlock)]
    return says(f"{said.text or 'No words'}: {', '.join(names) or 'no files'}.")


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(read_aloud)


@pytest.fixture
def desk(tmp_path: Path) -> dict[str, Path]:
    made = {
        "cat.png": PNG,
        "notes.txt": NOTES,
        "empty.txt": b"",
        "large.bin": bytes(PARTS + 1),
    }
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in made}


def heard(model: ScriptedModel) -> list[bytes]:
    said = model.prompts[-1].history[-1]
    assert isinstance(said, UserSaid)
    return [base64.b64decode(b.data or "") for b in said.files if isinstance(b, MediaBlock)]


async def put(page: Page, event: str, name: str, content: bytes) -> None:
    """Drop or paste a file where a message is written."""
    await page.get_by_label("Message").focus()
    await page.evaluate(
        """([event, name, bytes]) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
          const place = document.querySelector("#text");
          const made = event === "paste"
            ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true })
            : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
          place.dispatchEvent(made);
        }""",
        [event, name, list(content)],
    )
    await expect(page.get_by_role("checkbox", name=name)).to_be_checked()


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
async def test_files_are_chosen_dropped_and_pasted_and_shown_with_their_message(
    open_house: OpenHouse, model: ScriptedModel, desk: dict[str, Path], phone: bool
) -> None:
    async with open_house(model) as house:
        page = await house.visit(path="/chat", phone=phone)
        await page.get_by_label("Attach files").set_input_files(
            [desk["cat.png"], desk["notes.txt"]]
        )
        await expect(page.get_by_role("checkbox", name="notes.txt")).to_be_checked()
        await page.get_by_role("checkbox", name="notes.txt").uncheck()
        await put(page, "drop", "dropped.png", png(40, 40))
        assert await serious(page) == []
        await page.get_by_label("Message").fill("Who is this?")
        await page.get_by_role("button", name="Send").click()
        said = "Who is this?: cat.png (image/png), dropped.png (image/png)."
        await expect(page.get_by_text(said)).to_be_visible()
        assert heard(model) == [PNG, png(40, 40)]
        picture = page.get_by_role("img", name="A picture of cat.png")
        await expect(picture).to_be_visible()
        assert await picture.evaluate("image => image.naturalWidth") == 320
        assert await serious(page) == []
        async with page.expect_download() as saving:
            await page.get_by_role("link", name="Download cat.png").click()
        await (await saving.value).save_as(desk["cat.png"].with_name("saved.png"))
        assert desk["cat.png"].with_name("saved.png").read_bytes() == PNG

        # In a conversation, too, without words and without leaving the page.
        await put(page, "paste", "pasted.png", png(20, 20))
        await page.get_by_role("button", name="Send").click()
        await expect(page.get_by_text("No words: pasted.png (image/png).")).to_be_visible()
        await expect(page.get_by_role("checkbox")).to_have_count(0)
        await page.reload()
        await expect(page.get_by_role("img", name="A picture of")).to_have_count(3)
        await page.goto("/chat")
        await expect(page.get_by_role("link", name="Who is this?")).to_be_visible()


async def test_what_is_refused_says_why_and_the_message_waits(
    open_house: OpenHouse, model: ScriptedModel, desk: dict[str, Path]
) -> None:
    async with open_house(model) as house:
        page = await house.visit(path="/chat")
        wrong = [desk["empty.txt"], desk["large.bin"]]
        await page.get_by_label("Attach files").set_input_files(wrong)
        await expect(page.get_by_text("The file is empty.")).to_be_visible()
        await expect(page.get_by_text("It is too large")).to_be_visible()
        await page.get_by_role("button", name="Dismiss").first.click()
        await page.get_by_role("button", name="Dismiss").click()
        await page.get_by_label("Message").fill("Then without.")
        await page.get_by_label("Message").press("Enter")
        await expect(page.get_by_text("Then without.: no files.")).to_be_visible()


async def test_a_file_that_is_gone_before_the_message_is_sent_is_said(
    open_house: OpenHouse, model: ScriptedModel, desk: dict[str, Path]
) -> None:
    async with open_house(model) as house:
        turn = await house.assent.send("agent", "hi", by=person("user"))
        page = await house.visit(path=f"/chat/{turn.conversation_id}")
        await page.get_by_label("Attach files").set_input_files(desk["notes.txt"])
        box = page.get_by_role("checkbox", name="notes.txt")
        await expect(box).to_be_checked()
        sha256 = (await box.get_attribute("value") or "").partition("/")[0]

        def gone(tx: Any) -> None:
            tx.files.drop(tx.files.find("user", sha256).id)

        await house.assent.kernel.store.run(gone)
        house.watch.tolerate("status of 422")
        await page.get_by_label("Message").fill("Read this.")
        await page.get_by_role("button", name="Send").click()
        await expect(
            page.get_by_text("Not sent: notes.txt is not here, or no longer: upload it first.")
        ).to_be_visible()
        await expect(page.get_by_label("Message")).to_have_value("Read this.")
    assert len(model.prompts) == 1


async def test_without_javascript_files_are_sent_with_the_message(
    open_house: OpenHouse, model: ScriptedModel, desk: dict[str, Path]
) -> None:
    async with open_house(model) as house:
        page = await house.visit(path="/chat", script=False)
        files = page.get_by_label("Attach files")
        await files.set_input_files([desk["cat.png"], desk["empty.txt"]])
        await page.get_by_label("Message").fill("Look.")
        await page.get_by_role("button", name="Send").click()
        # What was right stays, and so do the words.
        refusal = page.get_by_text("Not sent: empty.txt: The file is empty.")
        await expect(refusal).to_be_visible()
        await expect(page.get_by_role("checkbox", name="cat.png")).to_be_checked()
        await expect(page.get_by_label("Message")).to_have_value("Look.")
        await files.set_input_files(desk["notes.txt"])
        await page.get_by_role("button", name="Send").click()
        said = "Look.: cat.png (image/png), notes.txt (text/plain)."
        await expect(page.get_by_text(said)).to_be_visible()
        await expect(page.get_by_role("img", name="A picture of cat.png")).to_be_visible()
    assert heard(model) == [PNG, NOTES]


async def test_a_message_that_has_to_wait_for_a_call_keeps_its_files(
    open_house: OpenHouse, desk: dict[str, Path]
) -> None:
    async with open_house() as house:
        page = await house.visit(path="/chat", script=False)
        await page.get_by_label("Message").fill(wants("pay", to="Ada", amount=40))
        await page.get_by_role("button", name="Send").click()
        await page.get_by_label("Attach files").set_input_files(desk["notes.txt"])
        await page.get_by_role("button", name="Send").click()
        await expect(page.get_by_role("checkbox", name="notes.txt")).to_be_checked()
        await page.get_by_role("checkbox", name="Cancel the pending calls").check()
        await page.get_by_role("button", name="Send").click()
        await expect(page.get_by_role("link", name="Download notes.txt")).to_be_visible()
