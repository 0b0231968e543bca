"""The sentences that the demo's script understands, and the calls that they become.

RE2 matches them in linear time, also for long and hostile texts.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

from assent.domain.canonical import Json
from assent.domain.messages import Answer, Proposal
from assent.models.scripted import calls, says

MAX_CHARS = 20_000
MAX_CALLS = 16
WHAT_I_AM = "I am a scripted, offline model: I only know a few sentences."

HELP = f"""\
{WHAT_I_AM} Try one of these:

  Perform a dangerous operation on test.txt
  read notes.txt and todo.txt
  write hello.txt: Hello, world!
  delete test.txt and notes.txt
  rename todo.txt to notes.txt
  run ls -l
  list files
  search lease
  index
  Get my P&L report for Q1 2025
  query orders
  connect to example.com
  ship a mug
  order chairs for the office
  pay the invoice of Papyrus
  refund 40
  refund 400
  pick a file
  test the approval with hello
  tell me a long story
  call read_file {{"path": "notes.txt"}}"""

# Long enough to watch it and to stop it.
STORY = """\
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

Words = Mapping[str, str]
Reply = Callable[[Words], Answer]

# "read a and delete b" is two sentences; text for a shell, a file or a tool is not split.
_VERBS = "read|delete|rename|write|search|query|refund|list|index|run|call|connect|ship|order|pay"
_THEN = re.compile(rf",?\s+and\s+(?=(?:{_VERBS})\b)", re.IGNORECASE)
_WHOLE = re.compile(
    r"(?:please\s+)?(?:run\s|call\s|query\s+(?:select|with)\s|write\s+[^\s:]+:)", re.IGNORECASE
)
_QUARTER = re.compile(r"\bq([1-4])\b", re.IGNORECASE)
_YEAR = re.compile(r"\b20\d\d\b")
_FULL_STOP = re.compile(r"([\w\"'`])[.!?]\Z")
_BETWEEN_NAMES = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_RE2: Final = cast("Any", re2)  # ships no types; `_Expression` declares the part used here


class _Match(Protocol):
    def groupdict(self) -> dict[str, str | None]: ...


class _Expression(Protocol):
    def fullmatch(self, text: str) -> _Match | None: ...


@dataclass(frozen=True, slots=True)
class Sentence:
    """A kind of sentence, and the script's reply to it."""

    pattern: _Expression
    reply: Reply

    def understood(self, text: str) -> Answer | None:
        """Return the reply to a text; None if it is not of this kind."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        return self.reply({name: word for name, word in found.groupdict().items() if word})


def understand(text: str) -> Answer:
    """Return the reply to a message, without regard to earlier ones."""
    # Half a surrogate pair can be neither matched nor stored.
    message = text.encode("utf-8", "replace").decode().strip()
    if len(message) > MAX_CHARS:
        return says(f"That is too long for me: {len(message):,} characters. {HELP}")
    parts = _parts(message)
    answers = [answer for part in parts if (answer := _understood(part)) is not None]
    if len(answers) < len(parts):
        return says(f"I did not understand that. {HELP}")
    return _together(answers)


def _parts(message: str) -> list[str]:
    parts: list[str] = []
    while not _WHOLE.match(message) and (cut := _THEN.search(message)):
        parts.append(message[: cut.start()])
        message = message[cut.end() :]
    return [*parts, message]


def _understood(part: str) -> Answer | None:
    answers = (sentence.understood(part) for sentence in _SENTENCES)
    return next((answer for answer in answers if answer is not None), None)


def _together(answers: list[Answer]) -> Answer:
    proposals = [proposal for answer in answers for proposal in answer.proposals]
    text = " ".join(answer.text for answer in answers)
    if len(proposals) > MAX_CALLS:
        text = f"That is a lot; I will do the first {MAX_CALLS}. {text}"
    return says(text, *proposals[:MAX_CALLS])


def _dangerous(words: Words) -> Answer:
    target = _plain(words.get("target", "test.txt"))
    call = calls("dangerous_tool", action="delete", target=target)
    return says(f"That is dangerous. I will ask before I touch {target}.", call)


def _each(tool: str, intention: str) -> Reply:
    """Return a reply with one call for every named file."""
    return lambda words: _files(intention, words, lambda name: calls(tool, path=name))


def _files(intention: str, words: Words, call: Callable[[str], Proposal]) -> Answer:
    names = [_plain(name) for name in _BETWEEN_NAMES.split(words["names"]) if name.strip()]
    said = ", ".join(names[:MAX_CALLS])
    return says(f"{intention} {said}.", *map(call, names))


def _plain(name: str) -> str:
    """Return a name without the quotes around it and the full stop after it."""
    bare = _FULL_STOP.sub(r"\1", name.strip())
    return bare.strip("\"'`") or bare


def _write(words: Words) -> Answer:
    def call(name: str) -> Proposal:
        content = words.get("content", "Hello from the scripted model.").rstrip()
        return calls("write_file", path=name, content=f"{content}\n")

    return _files("I would like to write", words, call)


def _one(tool: str, intention: str) -> Reply:
    """Return a reply with one call, whose arguments are the named groups of the pattern."""

    def reply(words: Words) -> Answer:
        arguments: dict[str, Json] = {name: word.strip() for name, word in words.items()}
        return says(intention, calls(tool, arguments))

    return reply


def _any_tool(words: Words) -> Answer:
    # Unchecked: the gate decides if there is such a tool and if it takes these arguments.
    return says(f"I will call {words['tool']}.", calls(words["tool"], words.get("json", "{}")))


def _rename(words: Words) -> Answer:
    path, to = _plain(words["path"]), _plain(words["to"])
    return says(f"I will rename {path} to {to}.", calls("rename_file", path=path, to=to))


_QUARTERS = {
    "1": ("01-01", "03-31"),
    "2": ("04-01", "06-30"),
    "3": ("07-01", "09-30"),
    "4": ("10-01", "12-31"),
}


def _profit_and_loss(words: Words) -> Answer:
    quarter, named = (each.search(words.get("period", "")) for each in (_QUARTER, _YEAR))
    start, end = _QUARTERS[quarter[1]] if quarter else ("01-01", "12-31")
    year = named[0] if named else "2025"
    call = calls(
        "quickbooks_online_api_request",
        endpoint="reports/ProfitAndLoss",
        start_date=f"{year}-{start}",
        end_date=f"{year}-{end}",
    )
    return says("I will fetch the profit and loss report.", call)


def _query(words: Words) -> Answer:
    query = words["query"].strip()
    is_sql = query.lower().startswith(("select ", "with "))
    sql = query if is_sql else "SELECT * FROM orders ORDER BY id"
    return says("I will query a database; you say which.", calls("query_database", sql=sql))


def _refund(words: Words) -> Answer:
    arguments: dict[str, Json] = {"amount": float(words["amount"])}
    if "order" in words:
        arguments["order"] = _plain(words["order"])
    return says("I will refund it.", calls("refund", arguments))


def _says(text: str) -> Reply:
    return lambda _: says(text)


def _sentence(pattern: str, reply: Reply) -> Sentence:
    spaced = pattern.replace(" ", r"\s+")
    return Sentence(cast("_Expression", _RE2.compile(rf"(?is)(?:please\s+)?{spaced}")), reply)


_SENTENCES = (
    _sentence(r"(?:help|hello|hi|\?|what can you do\??)[.!]?", _says(HELP)),
    _sentence(
        r"(?:(?:run|use) )?(?:the )?test(?:_discord_| (?:the )?(?:discord )?)approval\b"
        r".*?\b(?:with|parameter) \"?(?P<test_parameter>[^\"]+)\"?",
        _one("test_discord_approval", "I will test the approval."),
    ),
    _sentence(r"call (?P<tool>[\w-]{1,64})(?: (?P<json>.+))?", _any_tool),
    _sentence(r"run (?P<command>.+)", _one("run_command", "I would like to run this.")),
    _sentence(r"write (?P<names>[^\s:]+):\s*(?P<content>.+)", _write),
    _sentence(r"write (?P<content>.+) to (?:the )?(?:file )?(?P<names>\S+)", _write),
    _sentence(r"write (?:the )?(?:files? )?(?P<names>[^\s,]+(?:(?:,|,? and) [^\s,]+)*)", _write),
    _sentence(r"read (?:the )?(?:files? )?(?P<names>.+)", _each("read_file", "I will read")),
    _sentence(
        r"delete (?:the )?(?:files? )?(?P<names>.+)",
        _each("delete_file", "I would like to delete"),
    ),
    _sentence(r"rename (?:the )?(?:file )?(?P<path>\S+) to (?P<to>\S+)", _rename),
    _sentence(r".*\bdangerous\b(?:.*?\b(?:on|to|with) (?P<target>\S.*)|.*)", _dangerous),
    _sentence(r"list(?: the)?(?: files)?[.!]?", _one("list_files", "I will look.")),
    _sentence(r"search (?:for )?(?P<query>.+)", _one("web_search", "I will search.")),
    _sentence(r"index(?: .*)?", lambda _: says("I will index.", calls("index_documents"))),
    _sentence(r".*\b(?:p&l|profit and loss)\b(?P<period>.*)", _profit_and_loss),
    _sentence(r"query (?P<query>.+)", _query),
    _sentence(r"(?:connect to|ssh) (?P<host>\S+)", _one("ssh_connect", "I will connect.")),
    _sentence(r"ship (?P<item>.{1,200})", _one("ship_parcel", "I will ship it.")),
    _sentence(r"order (?P<purpose>.{1,200})", _one("order_supplies", "I will order it.")),
    _sentence(
        r"pay (?:the |an )?(?:invoice|bill) (?:of|from|by) (?P<to>.{1,200})",
        _one("pay_invoice", "I need the invoice for that."),
    ),
    _sentence(
        r"refund (?P<amount>\d{1,9}(?:\.\d{1,2})?)(?: euros?)?(?: (?:for|on|of) (?P<order>\S+))?",
        _refund,
    ),
    _sentence(r"pick a file(?: (?P<purpose>.+))?[.!]?", _one("pick_file", "Please pick.")),
    _sentence(r".*\bstory\b.*", _says(STORY)),
)
