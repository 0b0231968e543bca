"""Whole journeys through `assent chat` with the demo, each in real processes on a real database."""

import hashlib
from pathlib import Path

import pytest

from tests.cli.sessions import at_terminal, piped, run

CHOICE = "[l]ater"
PROMPT = "ada ▸ "
ARROW = "▸ "
# A dumb terminal does without the line editor.
EDITOR_AND_PLAIN = pytest.mark.parametrize("term", ["xterm", "dumb"])


@pytest.fixture
def demo(tmp_path: Path) -> tuple[str, ...]:
    return ("chat", "--data-dir", str(tmp_path / "demo"), "--user", "ada")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "demo" / "workspace"


def test_a_dangerous_call_runs_once_and_only_after_the_whole_word_yes(
    demo: tuple[str, ...], workspace: Path
) -> None:
    log = workspace / "danger.log"
    with piped(*demo) as session:
        session.answer(PROMPT, "Perform a dangerous operation on test.txt")
        card = session.answer(CHOICE, "")
        assert "DANGEROUS" in card
        assert "dangerous_tool runs once, with exactly these arguments" in card
        session.expect("Nothing is decided yet")
        session.answer(CHOICE, "a")
        session.answer("Type yes to go on", "y")
        session.expect("Not done")
        assert not log.exists()

        session.answer(CHOICE, "a")
        session.answer("Type yes to go on", "yes")
        session.expect("✓ dangerous_tool", "Performed delete on test.txt", PROMPT)
        session.leave()

    assert log.read_text() == "delete test.txt\n"


def test_an_edit_is_checked_shown_as_a_diff_and_runs_as_edited(
    demo: tuple[str, ...], workspace: Path
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "write hello.txt: Hello, world!")
        session.answer(CHOICE, "e")
        session.answer("[b]ack", "f")
        session.answer("path ▸ [hello.txt]", '""')
        session.answer("content ▸", "Goodbye.")
        session.expect("not valid", "path: must have at least 1 character")

        session.answer("path ▸", "bye.txt")
        session.answer("content ▸ [Goodbye.]", "")
        diff = session.expect("[a]pprove  [b]ack")
        assert '- path  "hello.txt"' in diff
        assert '+ path  "bye.txt"' in diff
        session.type("a")
        session.expect('→ write_file content="Goodbye." path="bye.txt"', "✓ write_file", PROMPT)
        session.leave()

    assert (workspace / "bye.txt").read_text() == "Goodbye."
    assert not (workspace / "hello.txt").exists()


def test_an_edit_that_was_not_confirmed_is_still_there_to_go_on_from(
    demo: tuple[str, ...], workspace: Path
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "Perform a dangerous operation on test.txt")
        session.answer(CHOICE, "e")
        session.answer("[b]ack", "f")
        session.answer("action ▸ [delete]", "archive")
        session.answer("target ▸ [test.txt]", "old.txt")
        session.answer("Type yes to go on", "y")
        session.expect("Not done")

        session.answer(CHOICE, "e")
        session.expect("Your last changes are still here.")
        session.answer("[b]ack", "f")
        session.answer("action ▸ [archive]", "")
        session.answer("target ▸ [old.txt]", "")
        assert '+ action  "archive"' in session.answer("Type yes to go on", "yes")
        session.expect("✓ dangerous_tool", PROMPT)
        session.leave()

    assert (workspace / "danger.log").read_text() == "archive old.txt\n"


def test_an_edit_that_was_taken_back_starts_anew(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "write hello.txt: Hello")
        session.answer(CHOICE, "e")
        session.answer("[b]ack", "j")
        session.answer("JSON ▸", '{"path": "bye.txt", "content": "Hello\\n"}')
        session.answer("[a]pprove  [b]ack", "b")

        session.answer(CHOICE, "e")
        session.answer("[b]ack", "f")
        session.answer("path ▸ [bye.txt]", "hello.txt")
        session.answer("content ▸", "")
        session.expect("That changes nothing.")

        session.answer(CHOICE, "e")
        assert "last changes" not in session.answer("[b]ack", "b")
        session.answer(CHOICE, "l")
        session.leave()


def test_arguments_can_be_edited_as_json(demo: tuple[str, ...], workspace: Path) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "write hello.txt: Hello")
        session.answer(CHOICE, "e")
        session.answer("[b]ack", "j")
        session.answer("JSON ▸", "{broken")
        session.expect("That is no JSON")
        session.answer("JSON ▸", '{"path": "json.txt", "content": "from JSON"}')
        session.answer("[a]pprove  [b]ack", "a")
        session.expect("✓ write_file")
        session.leave()

    assert (workspace / "json.txt").read_text() == "from JSON"


def test_a_rejection_keeps_the_file_and_its_reason_reaches_the_agent(
    demo: tuple[str, ...], workspace: Path
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "read notes.txt and delete test.txt")
        session.expect("✓ read_file", "delete_file", "This file exists to be deleted.")
        session.answer(CHOICE, "r")
        session.answer("Why not?", "I still need it")
        session.expect("Rejected.", "✗ delete_file", "delete_file did not run", "need it")
        session.leave()

    assert (workspace / "test.txt").exists()


def test_a_form_asks_only_visible_fields_and_a_secret_is_nowhere_to_be_seen(
    demo: tuple[str, ...], tmp_path: Path
) -> None:
    secret = "correct-horse-battery"
    with piped(*demo) as session:
        session.answer(PROMPT, "connect to example.com")
        assert 'only if ssh_login is  "key"' in session.answer(CHOICE, "a")
        session.answer("Username", "Ada Lovelace")
        session.expect("A username has small letters")
        session.answer("▸ ", "ada")
        session.answer("Port", "")
        session.answer("How to log in", "1")
        asked = session.answer("not shown ▸", secret)
        assert "Password" in asked
        summary = session.answer("[s]end", "s")
        assert "Password: ••••••" in summary
        assert "Key file" not in summary
        approval = session.answer(CHOICE, "a")
        assert "ssh_password  ••••••" in approval
        session.expect("Pretended to connect to ada@example.com:22 with a password of 21")
        session.leave()
        assert secret not in session.text

    stored = b"".join(path.read_bytes() for path in (tmp_path / "demo").glob("assent.db*"))
    assert secret.encode() not in stored


def test_an_answer_is_saved_for_the_conversation_where_the_tool_says_so(
    demo: tuple[str, ...],
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "Get my P&L report for Q1 2025")
        session.answer(CHOICE, "a")
        session.answer("QuickBooks Company ID", "12")
        session.expect("A Company ID has 10 to 20 digits.")
        session.answer("▸ ", "9130346988354456")
        session.answer("[s]end", "s")
        session.answer("this [c]onversation", "c")
        session.expect("9130346988354456", "profit:")

        session.answer(PROMPT, "Get my P&L report for Q3 2024")
        again = session.expect("from: 2024-07-01", PROMPT)
        assert "Input needed" not in again


def test_an_answer_is_kept_for_all_conversations_and_another_is_suggested(
    demo: tuple[str, ...],
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "Get my P&L report for Q1 2025")
        session.answer(CHOICE, "a")
        session.answer("QuickBooks Company ID", "9130346988354456")
        session.answer("[s]end", "s")
        session.answer("[a]ll my conversations", "a")
        session.expect("profit:")
        session.leave()
    with piped(*demo) as session:
        session.answer(PROMPT, "/new")
        session.answer(PROMPT, "Get my P&L report for Q3 2024")
        again = session.expect("from: 2024-07-01", PROMPT)
        assert "Input needed" not in again


def test_a_form_in_steps_leaves_customs_out_at_home_and_asks_them_abroad(
    demo: tuple[str, ...],
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "ship a mug")
        session.answer(CHOICE, "a")
        session.expect("Step 1 of 2", "Who gets it")
        for label, text in (("Name", "Bea"), ("Street", "Storgata 7"), ("Postcode", "0155 Oslo")):
            session.answer(label, text)
        session.answer("another country", "y")
        session.answer("[n]ext step", "n")
        session.expect("Step 2 of 3", "Customs")
        session.answer("Country", "Nowhere")
        session.expect("Choose a country")
        session.answer("▸ ", "Norway")
        session.answer("Value in euros", "20")
        session.answer("[n]ext step", "n")
        session.expect("Step 3 of 3", "Payment")
        session.answer("How fast", "2")
        session.answer("not shown ▸", "4929")
        assert "Card number: ••••••" in session.answer("[s]end", "s")
        session.expect("ship a mug to Bea, Storgata 7, 0155 Oslo, NO, express", "20 euros", PROMPT)
        session.leave()


def test_an_order_is_searched_for_written_and_agreed_to(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "order chairs for the office")
        session.answer(CHOICE, "a")
        session.answer("Article", "chair blue 7")
        session.answer("▸ ", "1")
        session.answer("How many", "2")
        session.answer("At most", "800,00 EUR")
        session.answer("▸ ", "800 EUR")
        session.answer("Delivered by", "2026-07-01 09:00 Europe/Berlin")
        session.answer("Receipt to", "ada@example.com")
        session.answer("Country", "")
        session.answer("Labels", "team = blue")
        session.answer("More lines", ".")
        session.answer("I may spend this.", "y")
        session.answer("[s]end", "s")
        session.expect("2 × Chair, blue, model 7", "+02:00", "800.00 EUR", PROMPT)
        session.leave()


def test_a_file_is_given_by_its_path_shown_by_its_digest_and_read(
    demo: tuple[str, ...], tmp_path: Path
) -> None:
    paper = tmp_path / "March.pdf"
    paper.write_bytes(b"%PDF-1.7 an invoice")
    digest = hashlib.sha256(paper.read_bytes()).hexdigest()
    with piped(*demo) as session:
        session.answer(PROMPT, "pay the invoice of Papyrus")
        session.answer(CHOICE, "a")
        session.answer("Invoice", str(paper))
        session.expect(digest[:16])
        session.answer("Amount", "12.50 EUR")
        session.answer("[s]end", "s")
        assert digest[:16] in session.answer(CHOICE, "a")
        session.expect("12.50 EUR to Papyrus for March.pdf: 19 bytes read", PROMPT)
        session.leave()


def test_a_rule_of_ones_own_asks_in_a_chat_that_is_open(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "read notes.txt")
        session.expect("✓ read_file", PROMPT)
        run("rules", "add", "--tool", "read_file", *demo[1:])
        session.type("read notes.txt")
        session.expect("You asked to be asked about calls of read_file")
        session.answer(CHOICE, "a")
        session.expect("✓ read_file", PROMPT)
        session.leave()


def test_small_refunds_settle_themselves_and_large_ones_are_settled_by_a_person(
    demo: tuple[str, ...], workspace: Path
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "refund 40")
        assert "Result needed" not in session.expect("status: refunded")

        session.answer(PROMPT, "refund 400 for A-1002")
        session.answer(CHOICE, "s")
        session.answer("Your answer", "250")
        session.expect("amount: 250")
        session.leave()

    small, large = (workspace / "refunds.log").read_text().splitlines()
    assert "refunded 40.00" in small
    assert "A-1002 refunded 250.00 of 400" in large


def test_a_manual_call_gets_its_result_from_the_person_alone(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "pick a file")
        session.answer(CHOICE, "s")
        session.answer("Your answer", "notes.txt")
        session.expect("Answered.", "pick_file answered:", "notes.txt")
        session.leave()


def test_a_generator_tool_reports_its_progress(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "index")
        session.expect("⋯ index_documents", "%", "✓ index_documents", "documents: 5")
        session.leave()


def test_a_pending_call_survives_kill_9_and_runs_once_when_approved_later(
    demo: tuple[str, ...], workspace: Path
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "Perform a dangerous operation on test.txt")
        session.expect(CHOICE)
        session.kill()
    with piped(*demo) as session:
        session.expect("Where we were", "Perform a dangerous operation")
        session.expect("Approval needed", "dangerous_tool")
        session.answer(CHOICE, "a")
        session.answer("Type yes to go on", "yes")
        session.expect("Performed delete on test.txt", PROMPT)
        session.kill()
    with piped(*demo) as session:
        assert "Approval needed" not in session.expect("Where we were", PROMPT)
        session.leave()

    assert (workspace / "danger.log").read_text() == "delete test.txt\n"


def test_a_call_that_was_killed_while_it_ran_is_in_doubt_until_a_person_says(
    demo: tuple[str, ...], workspace: Path
) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "run echo ran >> runs; while [ -e gate ]; do sleep 0.1; done")
        (workspace / "gate").touch()
        session.answer(CHOICE, "a")
        session.answer("Type yes to go on", "yes")
        session.expect("→ run_command")
        session.kill()
    (workspace / "gate").unlink()
    with piped(*demo) as session:
        session.expect("Outcome unknown", "Nobody knows whether this call ran")
        session.answer(CHOICE, "r")
        session.answer("With which result", "I saw it run")
        session.expect("✓ run_command", "I saw it run")
        session.leave()

    assert (workspace / "runs").read_text() == "ran\n"


def test_what_is_put_off_waits_and_can_be_decided_later(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "delete test.txt")
        session.answer(CHOICE, "l")
        session.expect("It keeps waiting")
        session.answer(PROMPT, "/new")
        session.answer(PROMPT, "/pending")
        session.expect("delete_file")
        session.answer(CHOICE, "r")
        session.answer("Why not?", "")
        session.expect("Rejected.")
        session.leave()


def test_a_new_message_cancels_what_waits_only_when_told_to(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "delete test.txt")
        session.answer(CHOICE, "l")
        session.answer(PROMPT, "list files")
        session.expect("A call still waits for you")
        session.answer("[k]eep waiting", "k")
        session.expect("not sent")
        session.answer(PROMPT, "list files")
        session.answer("[k]eep waiting", "c")
        session.expect("✓ list_files", "notes.txt")
        session.answer(PROMPT, "/pending")
        session.expect("Nothing waits for you.")
        session.leave()


def test_leaving_with_pending_calls_says_that_they_are_kept(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "delete test.txt")
        session.expect(CHOICE)
        assert "1 call keeps waiting" in session.leave()


def test_somebody_else_can_decide_beside_a_running_chat(
    demo: tuple[str, ...], workspace: Path
) -> None:
    where = demo[1:]
    with piped(*demo) as session:
        session.answer(PROMPT, "delete test.txt")
        session.expect(CHOICE)
        listed = run("pending", *where).stdout
        assert 'path="test.txt"' in listed
        [request] = [word for word in listed.split() if word.startswith("req_")]
        decided = run("decide", request, "approve", "--yes", *where)
        assert "Approved." in decided.stdout
        session.expect("delete_file is approved by ada", "✓ delete_file", PROMPT)
        session.leave()

    assert not (workspace / "test.txt").exists()


@EDITOR_AND_PLAIN
def test_a_secret_is_not_echoed_at_a_terminal(demo: tuple[str, ...], term: str) -> None:
    with at_terminal(*demo, term=term) as session:
        session.answer(PROMPT, "connect to example.com")
        session.expect(CHOICE)
        session.answer(ARROW, "a")
        session.expect("Username")
        session.answer(ARROW, "ada")
        session.expect("Port")
        session.answer(ARROW, "")
        session.expect("How to log in")
        session.answer(ARROW, "1")
        session.answer("not shown ▸ ", "swordfish")
        session.expect("Password: ••••••")
        assert "swordfish" not in session.text
        assert "*" not in session.text.partition("Your answers")[0].rpartition("not shown")[2]


@EDITOR_AND_PLAIN
def test_keys_pressed_before_a_card_is_shown_decide_nothing(
    demo: tuple[str, ...], term: str
) -> None:
    with at_terminal(*demo, term=term) as session:
        session.answer(PROMPT, "test the approval with hello")
        session.type("a")
        session.expect("Approval needed", CHOICE)
        session.answer(ARROW, "r")
        session.answer("Why not?", "")
        assert "Approved." not in session.expect("Rejected.")


@EDITOR_AND_PLAIN
def test_ctrl_c_stops_an_answer_and_leaves_at_a_prompt(demo: tuple[str, ...], term: str) -> None:
    with at_terminal(*demo, term=term) as session:
        session.answer(PROMPT, "tell me a long story")
        session.expect("Once upon a time")
        session.press(b"\x03")
        session.expect("Stopped.", PROMPT)
        session.press(b"\x03")
        session.expect("Bye.")
        assert "That is the whole story" not in session.leave()


def test_ctrl_c_in_a_form_gives_the_form_up_and_decides_nothing(demo: tuple[str, ...]) -> None:
    with at_terminal(*demo) as session:
        session.answer(PROMPT, "connect to example.com")
        session.expect(CHOICE)
        session.answer(ARROW, "a")
        session.expect("Username", ARROW)
        session.press(b"\x03")
        session.expect("nothing is decided", CHOICE, ARROW)
        session.press(b"\x04")
        session.expect("1 call keeps waiting", "Bye.")
        session.leave()


def test_files_go_with_the_next_message_and_are_told_before(
    demo: tuple[str, ...], tmp_path: Path
) -> None:
    notes, picture = tmp_path / "my notes.txt", tmp_path / "cat.png"
    notes.write_text("hello")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with piped(*demo) as session:
        session.answer(PROMPT, f"/attach {tmp_path / 'none.txt'}")
        session.expect("✗ There is no file at")
        session.answer(PROMPT, f'/attach {picture} "{notes}"')
        session.expect("+ cat.png (PNG, 108 bytes, sha256 ", "+ my notes.txt (text, 5 bytes")
        session.answer(PROMPT, "what is this?")
        session.expect("- cat.png: image/png, 108 bytes", "- my notes.txt: text/plain, 5 bytes")
        session.answer(PROMPT, "/attach")
        session.expect("Your next message carries no files.")

        session.answer(PROMPT, f"/attach {picture}")
        session.expect("+ cat.png")
        picture.unlink()
        session.answer(PROMPT, "and this?")
        session.expect("✗ Not sent: a file cannot be read")
        picture.write_bytes(b"another")
        session.answer(PROMPT, "and this?")
        session.expect("It did not arrive as it was sent")
        session.expect(PROMPT)
        session.leave()
