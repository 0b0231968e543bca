"""The demo's model: no model at all, but a list of sentences it understands.

It is a function of the conversation and keeps nothing, so a restart cannot confuse it.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from assent.domain.canonical import Json
from assent.domain.messages import (
    Answer,
    ModelSaid,
    Prompt,
    TextBlock,
    ToolOutput,
    UserSaid,
)
from assent.models.scripted import ScriptedModel, calls, says

WORD_DELAY = timedelta(milliseconds=25)
WHAT_I_AM = "I am a scripted, offline model: I only know a few sentences."

HELP = f"""\
{WHAT_I_AM} Try one of these:

  Perform a dangerous operation on test.txt
  read notes.txt and todo.txt
  write hello.txt: Hello, world!
  delete test.txt and notes.txt
  run ls -l
  list files
  search lease
  index
  Get my P&L report for Q1 2025
  query orders
  connect to example.com
  refund 40
  refund 400
  pick a file
  test the approval with hello
  tell me a long story"""

_STORY = """\
Once upon a time there was an agent that could do anything, and so nobody dared to let it do \
anything.

It could delete files, and it could send money, and it could talk to machines far away. People \
looked at it as one looks at a very sharp knife in a drawer. "What if it is wrong?" they said. \
"What if it is right," said the agent, "and you never find out?"

Then somebody had a small idea. Let it say what it wants to do, exactly, and let it wait. Let a \
person read it and say yes, or no, or: not like that, like this. And let what was said be \
written down, so that nobody has to remember it.

The first request was a small one, to water the plants, and it was approved. The second was to \
sell the house, and it was not, with the words "Do not run it again unless I ask for it." The \
agent did not mind. It had never been told before why something was a bad idea.

One night the power failed in the middle of everything. In the morning the requests were all \
still there, in the order in which they had come, waiting. The agent read them, and so did the \
people, and one by one they were decided. And what was approved ran, once.

That is the whole story. I am a scripted, offline model, so it is always the same one."""


# "read a and delete b" is two sentences; what a shell, a file or a database gets stays whole.
_THEN = re.compile(r",? and (?=(?:read|delete|write|search|query|refund|list|index)\b)")
_WHOLE = re.compile(r"(?:please )?(?:run|write|query)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A kind of sentence, and what the script makes of one."""

    pattern: re.Pattern[str]
    answer: Callable[[re.Match[str]], Answer]


def demo_model(*, word_delay: timedelta = WORD_DELAY) -> ScriptedModel:
    """The scripted model of the demo."""
    return ScriptedModel(reply, word_delay=word_delay)


def reply(prompt: Prompt) -> Answer:
    """What the script says next."""
    asked = max(n for n, said in enumerate(prompt.history) if isinstance(said, UserSaid))
    done = [said for said in prompt.history[asked:] if isinstance(said, ModelSaid)]
    outputs = [output for said in done for output in said.outputs]
    if outputs:
        return says("\n\n".join(map(_report, outputs)))
    answer = understand(cast("UserSaid", prompt.history[asked]).text)
    is_first = not any(isinstance(said, ModelSaid) for said in prompt.history[:asked])
    return _introduced(answer) if is_first else answer


def understand(text: str) -> Answer:
    """What the script makes of a sentence, without knowing what was said before."""
    sentence = " ".join(text.split())
    parts = [sentence] if _WHOLE.match(sentence) else _THEN.split(sentence)
    answers = [answer for part in parts if (answer := _understood(part)) is not None]
    if len(answers) < len(parts):
        return says(f"I did not understand that. {HELP}")
    proposals = [proposal for answer in answers for proposal in answer.proposals]
    return says(" ".join(answer.text for answer in answers), *proposals)


def _understood(sentence: str) -> Answer | None:
    matches = ((known, known.pattern.fullmatch(sentence)) for known in _SENTENCES)
    return next((known.answer(found) for known, found in matches if found), None)


def _introduced(answer: Answer) -> Answer:
    if WHAT_I_AM in answer.text:
        return answer
    text = f"{WHAT_I_AM} Say help to see them.\n\n{answer.text}"
    return says(text, *answer.proposals)


def _report(output: ToolOutput) -> str:
    """What came of a call, in words."""
    text = _text(output)
    if not output.failed:
        return _told(output.tool, text)
    error = _parsed(text)
    reason = error.get("error") if isinstance(error, dict) else text
    return f"{output.tool} did not happen. {reason}"


def _told(tool: str, text: str) -> str:
    # A person's edit is told in front of the result, on a line of its own.
    note, _, rest = text.partition("\n") if text.startswith("A person changed") else ("", "", text)
    parts = (note, f"{tool} answered:", _in_lines(_parsed(rest)).rstrip())
    return "\n".join(part for part in parts if part)


def _in_lines(value: Json) -> str:
    """A result that people can read."""
    match value:
        case dict():
            return "\n".join(f"  {name}: {_in_line(item)}" for name, item in value.items())
        case []:
            return "  nothing"
        case list():
            return "\n".join(f"  - {_in_line(item)}" for item in value)
        case _:
            return _in_line(value)


def _in_line(value: Json) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_in_line(item)}" for name, item in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text(output: ToolOutput) -> str:
    if isinstance(output.content, str):
        return output.content
    return "\n".join(block.text for block in output.content if isinstance(block, TextBlock))


def _parsed(text: str) -> Json:
    """What a tool returned; a text that happens to be a number stays a text."""
    try:
        value: Json = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict | list) else text


def _dangerous(found: re.Match[str]) -> Answer:
    target = found["target"].rstrip(".!")
    call = calls("dangerous_tool", action="delete", target=target)
    return says(f"That is dangerous. I will ask before I touch {target}.", call)


def _each(tool: str, words: str) -> Callable[[re.Match[str]], Answer]:
    def answer(found: re.Match[str]) -> Answer:
        names = [name for name in re.split(r",? and |, ?", found["names"]) if name]
        proposals = tuple(calls(tool, path=name) for name in names)
        return says(f"{words} {' and '.join(names)}.", *proposals)

    return answer


def _write(found: re.Match[str]) -> Answer:
    name, content = found["name"], found["content"] or "Hello from the scripted model."
    call = calls("write_file", path=name, content=f"{content}\n")
    return says(f"I would like to write {name}.", call)


def _one(tool: str, words: str, *names: str) -> Callable[[re.Match[str]], Answer]:
    """One call; its arguments are the groups of these names."""

    def answer(found: re.Match[str]) -> Answer:
        arguments: dict[str, Json] = {name: found[name] for name in names if found[name]}
        return says(words, calls(tool, arguments))

    return answer


_QUARTERS = {"1": ("01-01", "03-31"), "2": ("04-01", "06-30"), "3": ("07-01", "09-30")}


def _report_wanted(found: re.Match[str]) -> Answer:
    start, end = _QUARTERS.get(found["quarter"] or "1", ("10-01", "12-31"))
    year = found["year"] or "2025"
    call = calls(
        "quickbooks_online_api_request",
        endpoint="reports/ProfitAndLoss",
        start_date=f"{year}-{start}",
        end_date=f"{year}-{end}",
    )
    return says("I will fetch the profit and loss report.", call)


def _query(found: re.Match[str]) -> Answer:
    words = found["query"]
    sql = words if words.lower().startswith("select") else "SELECT * FROM orders ORDER BY id"
    return says("I will query a database; you say which.", calls("query_database", sql=sql))


def _refund(found: re.Match[str]) -> Answer:
    arguments: dict[str, Json] = {"amount": float(found["amount"])}
    if found["order"]:
        arguments["order"] = found["order"]
    return says("I will refund it.", calls("refund", arguments))


def _says(text: str) -> Callable[[re.Match[str]], Answer]:
    return lambda _: says(text)


def _sentence(pattern: str, answer: Callable[[re.Match[str]], Answer]) -> Sentence:
    return Sentence(re.compile(rf"(?:please )?{pattern}", re.IGNORECASE), answer)


_SENTENCES = (
    _sentence(r"(?:help|hello|hi|\?|what can you do\??)[.!]?", _says(HELP)),
    _sentence(r".*\bdangerous\b.*\b(?:on|to|with) (?P<target>\S.*)", _dangerous),
    _sentence(r"read (?P<names>.+)", _each("read_file", "I will read")),
    _sentence(r"delete (?P<names>.+)", _each("delete_file", "I would like to delete")),
    _sentence(r"write (?P<name>[^\s:]+)(?:: ?(?P<content>.+))?", _write),
    _sentence(r"write (?P<content>.+) to (?P<name>\S+)", _write),
    _sentence(
        r".*\btest\b.*\bapproval\b.*?\b(?:with|parameter) \"?(?P<test_parameter>[^\"]+)\"?",
        _one("test_discord_approval", "I will test the approval.", "test_parameter"),
    ),
    _sentence(r"run (?P<command>.+)", _one("run_command", "I would like to run this.", "command")),
    _sentence(r"list(?: the)?(?: files)?", _one("list_files", "I will look.")),
    _sentence(r"search (?:for )?(?P<query>.+)", _one("web_search", "I will search.", "query")),
    _sentence(r"index(?: .*)?", _one("index_documents", "I will index the documents.")),
    _sentence(
        r".*\b(?:p&l|profit and loss)\b(?:.*\bq(?P<quarter>[1-4]))?(?:.*\b(?P<year>20\d\d))?.*",
        _report_wanted,
    ),
    _sentence(r"query (?P<query>.+)", _query),
    _sentence(r"connect to (?P<host>\S+)", _one("ssh_connect", "I will connect.", "host")),
    _sentence(
        r"refund (?P<amount>\d+(?:\.\d+)?)(?: euros?)?(?: (?:for|on|of) (?P<order>\S+))?", _refund
    ),
    _sentence(r"pick a file(?: (?P<purpose>.+))?", _one("pick_file", "Please pick.", "purpose")),
    _sentence(r".*\bstory\b.*", _says(_STORY)),
)
