"""The sentences that the demo's script understands."""

import json
from pathlib import Path

import pytest

from assent.demo.agent import Home, demo_agent
from assent.demo.script import HELP, WHAT_I_AM, reply, understand
from assent.domain.canonical import Json
from assent.domain.declarations import declared
from assent.domain.messages import Answer, ModelSaid, Prompt, ToolOutput, UserSaid


def proposed(sentence: str) -> list[tuple[str, dict[str, Json]]]:
    return [(call.tool, json.loads(call.arguments)) for call in understand(sentence).proposals]


@pytest.mark.parametrize(
    ("sentence", "calls"),
    [
        (
            "Perform a dangerous operation on test.txt",
            [("dangerous_tool", {"action": "delete", "target": "test.txt"})],
        ),
        ("read a.txt", [("read_file", {"path": "a.txt"})]),
        (
            "read a.txt, b.txt and c.txt",
            [("read_file", {"path": name}) for name in ("a.txt", "b.txt", "c.txt")],
        ),
        (
            "delete a.txt and b.txt",
            [("delete_file", {"path": "a.txt"}), ("delete_file", {"path": "b.txt"})],
        ),
        (
            "read a.txt and delete b.txt",
            [("read_file", {"path": "a.txt"}), ("delete_file", {"path": "b.txt"})],
        ),
        ("write a.txt: hi: there", [("write_file", {"path": "a.txt", "content": "hi: there\n"})]),
        ("write hello to a.txt", [("write_file", {"path": "a.txt", "content": "hello\n"})]),
        ("run ls -l | wc", [("run_command", {"command": "ls -l | wc"})]),
        ("run cat a and read b", [("run_command", {"command": "cat a and read b"})]),
        ("list files", [("list_files", {})]),
        ("search for the lease", [("web_search", {"query": "the lease"})]),
        ("index", [("index_documents", {})]),
        (
            "Get my P&L report for Q1 2025",
            [
                (
                    "quickbooks_online_api_request",
                    {
                        "endpoint": "reports/ProfitAndLoss",
                        "start_date": "2025-01-01",
                        "end_date": "2025-03-31",
                    },
                )
            ],
        ),
        ("query orders", [("query_database", {"sql": "SELECT * FROM orders ORDER BY id"})]),
        ("query select 1", [("query_database", {"sql": "select 1"})]),
        ("connect to example.com", [("ssh_connect", {"host": "example.com"})]),
        ("refund 40", [("refund", {"amount": 40.0})]),
        ("refund 400 for A-1", [("refund", {"amount": 400.0, "order": "A-1"})]),
        ("pick a file", [("pick_file", {})]),
        (
            'please run the test approval tool with parameter "hello"',
            [("test_discord_approval", {"test_parameter": "hello"})],
        ),
    ],
)
def test_a_sentence_becomes_calls(sentence: str, calls: list[tuple[str, object]]) -> None:
    assert proposed(sentence) == calls


def test_every_sentence_that_help_offers_is_understood() -> None:
    offered = [line.strip() for line in HELP.splitlines() if line.startswith("  ")]

    assert offered
    assert not [s for s in offered if "did not understand" in understand(s).text]


def test_every_call_fits_a_tool_of_the_demo(tmp_path: Path) -> None:
    tools = {tool.name: tool for tool in map(declared, demo_agent(Home(root=tmp_path)).tools)}
    offered = [line.strip() for line in HELP.splitlines() if line.startswith("  ")]

    for sentence in offered:
        for tool, arguments in proposed(sentence):
            tools[tool].arguments.normalise(arguments, partial=True)


def test_what_it_does_not_know_gets_the_help() -> None:
    assert HELP in understand("make me a sandwich").text


@pytest.mark.parametrize("sentence", ["help", "nonsense", "tell me a long story", "read a.txt"])
def test_it_always_says_first_that_it_is_a_script(sentence: str) -> None:
    answer = reply(Prompt(history=(UserSaid(text=sentence),)))

    assert "scripted, offline model" in answer.text


def test_it_says_what_it_is_once_and_then_answers() -> None:
    earlier = (UserSaid(text="help"), ModelSaid(answer=Answer(text=HELP)))
    answer = reply(Prompt(history=(*earlier, UserSaid(text="read a.txt"))))

    assert WHAT_I_AM not in answer.text
    assert [call.tool for call in answer.proposals] == ["read_file"]


def answered(content: str, *, failed: bool = False) -> str:
    asked = understand("read a.txt")
    output = ToolOutput(provider_id="1", tool="read_file", content=content, failed=failed)
    said = ModelSaid(answer=asked, outputs=(output,))
    return reply(Prompt(history=(UserSaid(text="read a.txt"), said))).text


def test_it_reports_what_a_tool_returned() -> None:
    assert answered("the text\n") == "read_file answered:\nthe text"


def test_it_reports_a_failure_by_its_message() -> None:
    assert answered('{"error": "no such file"}', failed=True) == (
        "read_file did not happen. no such file"
    )


def test_it_lists_what_has_parts() -> None:
    assert answered('{"a": 1, "b": ["x"]}') == 'read_file answered:\n  a: 1\n  b: ["x"]'
