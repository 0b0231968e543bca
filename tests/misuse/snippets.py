"""What newcomers write, who know other frameworks and did not read the documentation.

Each runs as a program of its own, after `PRELUDE`; `main` is awaited if it defines one.
"""

from dataclasses import dataclass

PRELUDE = '''
import asyncio
from datetime import timedelta
from pathlib import Path
from assent import *
from assent.testing import ScriptedModel, calls, says

@tool(risk=Risk.DANGEROUS, requires_approval=True)
def delete_file(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"

def script(*answers):
    wanted = says("", calls("delete_file", path="a.txt"))
    return ScriptedModel(list(answers) or [wanted, "Deleted."] * 3)

model = script()
agent = Agent("files", model=model, tools=[delete_file])
URL = "sqlite:///assent.db"

def plain(path: str) -> str:
    """Do something."""
    return path
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A program; `refused` are words of the sentence that it ends with, where it does not work.

    `by_python`: refused before anything of ours runs, by Python's own words for a wrong signature.
    """

    name: str
    code: str
    refused: str = ""
    by_python: bool = False


def _used(body: str) -> str:
    """A program that sends one message, and then does this."""
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return f"""
async def main():
    async with Assent(URL, agents=[agent]) as assent:
        turn = await assent.send("files", "delete a.txt", by="ada")
{lines}
"""


def _works(name: str, code: str) -> Snippet:
    return Snippet(name=name, code=code)


def _refused(name: str, code: str, words: str) -> Snippet:
    return Snippet(name=name, code=code, refused=words)


def _impossible(name: str, code: str, words: str) -> Snippet:
    return Snippet(name=name, code=code, refused=words, by_python=True)


OPENING = (
    _refused(
        "a path for a URL",
        'Assent("assent.db", agents=[agent])',
        "write 'sqlite:///assent.db'",
    ),
    _refused(
        "two slashes",
        'Assent("sqlite://assent.db", agents=[agent])',
        "write 'sqlite:///assent.db'",
    ),
    _refused("a Path", 'Assent(Path("assent.db"), agents=[agent])', "write 'sqlite:///assent.db'"),
    _refused(
        "another driver",
        'Assent("sqlite+aiosqlite:///assent.db", agents=[agent])',
        "url must be 'sqlite:///path'",
    ),
    _refused("no database", "Assent(None, agents=[agent])", "url must be 'sqlite:///path'"),
    _works("one agent, no list", "Assent(URL, agents=agent)"),
    _refused("agents by name", 'Assent(URL, agents=["files"])', "agents must be an Agent"),
    _refused("no agents", "Assent(URL, agents=None)", "agents must be an Agent"),
    _refused("one agent twice", "Assent(URL, agents=[agent, Agent('files', model=model)])", "two"),
    _refused(
        "approvals as a flag",
        "Assent(URL, agents=[agent], approvals=False)",
        "approvals must be 'on' or 'off', not False",
    ),
    _impossible(
        "dependencies as elsewhere", "Assent(URL, agents=[agent], deps={})", "argument 'deps'"
    ),
    _impossible(
        "dependencies in a body",
        """
context = Context(call_id="c", conversation_id="c", agent="a", tool="t", owner=Person("ada"))
context.deps
""",
        "'deps'",
    ),
    _refused(
        "forgotten async with",
        """
async def main():
    assent = Assent(URL, agents=[agent])
    await assent.send("files", "hi", by="ada")
""",
        "use the engine inside `async with assent`",
    ),
    _impossible(
        "with instead of async with",
        """
async def main():
    with Assent(URL, agents=[agent]) as assent:
        await assent.send("files", "hi", by="ada")
""",
        "context manager protocol",
    ),
    _refused(
        "used after its end",
        """
async def main():
    async with Assent(URL, agents=[agent]) as assent:
        pass
    await assent.send("files", "hi", by="ada")
""",
        "use the engine inside `async with assent`",
    ),
    _works(
        "one object, two runs",
        """
assent = Assent(URL, agents=[Agent("files", model=script("Hi.", "Hi."))])

async def ask():
    async with assent:
        return (await assent.send("files", "hi", by="ada")).text

assert [asyncio.run(ask()), asyncio.run(ask())] == ["Hi.", "Hi."]
""",
    ),
    _refused(
        "another loop in a thread",
        """
async def main():
    async with Assent(URL, agents=[agent]) as assent:
        def work():
            return asyncio.run(assent.send("files", "hi", by="ada"))
        await asyncio.to_thread(work)
""",
        "another event loop",
    ),
    _refused(
        "two workers on one file",
        """
async def main():
    async with Assent(URL, agents=[agent]), Assent(URL, agents=[agent]):
        pass
""",
        "a SQLite file can have only one",
    ),
    _refused(
        "no worker at all",
        """
from assent.engine.settings import Times

async def main():
    soon = Times(takeup=timedelta(seconds=0))
    async with Assent(URL, agents=[agent], worker=False, times=soon) as assent:
        await assent.send("files", "hi", by="ada")
""",
        "the turn goes on once a worker runs on this database",
    ),
)

SENDING = (
    _refused(
        "a policy that takes nothing",
        "Assent(URL, agents=[], policy=lambda: None)",
        "policy must be a function of a tool, its arguments and the context",
    ),
    _refused(
        "a confirmation that takes only a request",
        "Assent(URL, agents=[], on_confirmation=lambda request: True)",
        "on_confirmation must be a function of a call and its tool",
    ),
    _refused(
        "nothing to import", _used("await assent.import_(None, by='ada')"), "text must be text"
    ),
    _works("a name for a person", _used("assert turn.pending")),
    _works("a person", _used("await assent.send('files', 'hi', by=Person('eve'))")),
    _works("the agent itself", _used("await assent.send(agent, 'hi', by='eve')")),
    _refused("nobody", _used("await assent.send('files', 'hi', by=None)"), "by must be a Person"),
    _refused("a dict", _used("await assent.send('files', 'hi', by={'id': 'ada'})"), "by must be"),
    _impossible("by is forgotten", _used("await assent.send('files', 'hi')"), "argument: 'by'"),
    _impossible(
        "the agent is forgotten", _used("await assent.send('hi', by='ada')"), "argument: 'text'"
    ),
    _refused(
        "another agent", _used("await assent.send('file', 'hi', by='ada')"), "there is 'files'"
    ),
    _refused(
        "messages as elsewhere",
        _used("await assent.send('files', [{'role': 'user', 'content': 'hi'}], by='ada')"),
        "text must be text",
    ),
    _refused(
        "a thread id of one's own",
        _used("await assent.send('files', 'hi', by='ada', conversation_id='thread-1')"),
        "create=True",
    ),
    _works(
        "a thread id that is asked for",
        _used(
            "await assent.send('files', 'hi', by='ada', conversation_id='thread-1', create=True)"
        ),
    ),
    _refused(
        "a second message while a call waits",
        _used("await assent.send('files', 'hi', by='ada', conversation_id=turn.conversation_id)"),
        "on_pending='supersede'",
    ),
)

DECIDING = (
    _works(
        "a request and a name",
        _used(
            """
await assent.decide(turn.pending[0], approve(), by="ada")
assert (await assent.wait(turn)).text == "Deleted."
"""
        ),
    ),
    _works(
        "reading a call",
        _used(
            """
await assent.decide(turn.pending[0].id, approve(), by=Person("ada"))
call = (await assent.wait(turn.id)).calls[0]
assert call.arguments["path"] == "a.txt"
assert call.result == "deleted a.txt"
"""
        ),
    ),
    _works(
        "a card to print", _used("print(card := await assent.card(turn.pending[0]))\nassert card")
    ),
    _works(
        "a reason to reject",
        _used(
            """
await assent.decide(turn.pending[0], reject("no"), by="ada")
assert (await assent.wait(turn)).calls[0].status == "rejected"
"""
        ),
    ),
    _works(
        "the same decision twice",
        _used(
            """
await assent.decide(turn.pending[0], approve(), by="ada")
assert (await assent.decide(turn.pending[0], approve(), by="ada")).replayed
"""
        ),
    ),
    _refused(
        "no parentheses",
        _used("await assent.decide(turn.pending[0], approve, by='ada')"),
        "call it, approve()",
    ),
    _refused(
        "a word", _used("await assent.decide(turn.pending[0], 'approve', by='ada')"), "approve()"
    ),
    _refused("a flag", _used("await assent.decide(turn.pending[0], True, by='ada')"), "approve()"),
    _refused("nothing", _used("await assent.decide(turn.pending[0], None, by='ada')"), "not None"),
    _refused("no request", _used("await assent.decide(None, approve(), by='ada')"), "a request"),
    _refused(
        "all requests",
        _used("await assent.decide(turn.pending, approve(), by='ada')"),
        "request_id must be a request or its id",
    ),
    _refused(
        "the turn for its request",
        _used("await assent.decide(turn, approve(), by='ada')"),
        "request_id must be a request or its id",
    ),
    _impossible(
        "a request that approves itself", _used("await turn.pending[0].approve()"), "'approve'"
    ),
    _refused(
        "a stranger",
        _used("await assent.decide(turn.pending[0], approve(), by='eve')"),
        "There is no request",
    ),
    _refused(
        "another decision after the first",
        _used(
            """
await assent.decide(turn.pending[0], approve(), by="ada")
await assent.decide(turn.pending[0], reject("no"), by="ada")
"""
        ),
        "already",
    ),
    _refused(
        "an answer to what wants an approval",
        _used("await assent.decide(turn.pending[0], answer(path='b'), by='ada')"),
        "does not take the verdict 'answer'",
    ),
    _impossible(
        "an argument for an edit",
        _used("await assent.decide(turn.pending[0], approve(path='b'), by='ada')"),
        "argument 'path'",
    ),
)

TOOLS = (
    _refused(
        "two tools of one name",
        "Agent('files', model=model, tools=[delete_file, delete_file])",
        "two tools of that name",
    ),
    _works("one tool, no list", "Agent('files', model=model, tools=delete_file)"),
    _works(
        "a plain function",
        """
def add(a: int, b: int) -> int:
    return a + b

async def main():
    adder = Agent("adder", model=script(says("", calls("add", a=1, b=2)), "3"), tools=[add])
    async with Assent(URL, agents=[adder]) as assent:
        turn = await assent.send("adder", "1+2", by="ada")
        assert turn.calls[0].result == 3
""",
    ),
    _refused("a model that is none", "Agent('files', model=None)", "model must be"),
    _refused("a tool by its name", "Agent('files', model=model, tools=['add'])", "tool"),
    _works("a risk as text", "assert tool(risk='dangerous')(plain).risk is Risk.DANGEROUS"),
    _refused("a risk that is none", "tool(risk='high')(plain)", "risk must be"),
    _refused("a time as text", "tool(timeout='5m')(plain)", "timeout must be"),
    _refused("yes", "tool(requires_approval='yes')(plain)", "requires_approval must be"),
    _refused("somebody without an id", "Person(None)", "must be text"),
    _refused("an unknown option", "tool(needs_approval=True)(plain)", "needs_approval"),
    _works("seconds", "assert tool(timeout=5)(plain).timeout == timedelta(seconds=5)"),
    _impossible("a risk of one's own", "@tool(risk=Risk.HIGH)\ndef f(): ...", "HIGH"),
    _impossible("nobody in particular", "Person()", "argument: 'id'"),
    _impossible("a name that is not there", "from assent import Tools", "'Tools'"),
    _impossible("no model", "Agent('files', tools=[delete_file])", "argument: 'model'"),
    _works(
        "an output that is no JSON",
        """
class Thing: ...

@tool
def look() -> Thing:
    '''Look.'''
    return Thing()

async def main():
    seer = Agent("seer", model=script(says("", calls("look")), "OK."), tools=[look])
    async with Assent(URL, agents=[seer]) as assent:
        turn = await assent.send("seer", "look", by="ada")
        assert turn.calls[0].status == "failed"
        assert "It ran, but its output could not be kept" in str(turn.calls[0].result)
""",
    ),
    _refused(
        "any number of arguments",
        "@tool\ndef f(*args: str) -> str:\n    '''Do it.'''\n    return ''",
        "'f'",
    ),
)

MODELS = (
    _works(
        "one answer, no list",
        """
async def main():
    greeter = Agent("greeter", model=ScriptedModel("Hello."))
    async with Assent(URL, agents=[greeter]) as assent:
        assert (await assent.send("greeter", "hi", by="ada")).text == "Hello."
""",
    ),
    _refused("a call for an answer", "ScriptedModel([calls('delete_file')])", "script must be"),
    _refused("a call for a text", "says(calls('delete_file', path='a'))", "text must be text"),
    _refused("a tool for its name", "calls(delete_file, path='a')", "tool must be text"),
    _works("a script's pace in seconds", "ScriptedModel(['Hi.'], word_delay=0.1)"),
)

FORMS = (
    _works(
        "a form as a mapping",
        """
@tool(user_input={"reason": "Where?", "fields": [{"name": "path", "type": "text"}]})
def f(path: str) -> str:
    return path
assert f.user_input.fields[0].label == "Path"
""",
    ),
    _works("one field, no list", "UserInput('Where?', Field('path'))"),
    _works("one step, no list", "UserInput('Where?', steps=Step('First', Field('path')))"),
    _refused("a field as its name", "UserInput('Where?', ['path'])", "fields must be Fields"),
    _refused("names to types", "UserInput('Where?', {'path': 'text'})", "has no 'name'"),
    _refused("fields for a form", "tool(user_input=[Field('path')])(plain)", "must be a UserInput"),
    _refused("a type of Python", "Field('n', type=int)", "type must be 'text', 'number'"),
    _refused("a type of HTML", "Field('n', type='checkbox')", "type must be 'text', 'number'"),
    _refused(
        "options with labels in a dict",
        "Field('n', type='select', options={'a': 'A'})",
        "options must be",
    ),
    _refused("a cent in binary", "Field('n', type='money', minimum=0.5)", "text such as '12.50'"),
    _refused("an ending for a kind", "Field('n', type='file', kinds='.pdf')", "'image/png'"),
    _refused("a size as text", "Field('n', type='file', max_bytes='10MB')", "max_bytes must be"),
    _refused("a consent beforehand", "Field('n', type='consent', default=True)", "only a person"),
    _refused("kept for ever", "UserInput('?', [Field('n')], save='always')", "save must be"),
    _impossible("a type by its place", "Field('n', 'number')", "positional argument"),
)


def _guarded(body: str) -> str:
    """A program that guards a call and approves it."""
    return f"""
async def main():
    async with Assent(URL) as assent:
        async def approving():
            while not (asked := await assent.pending(person="ada")):
                await asyncio.sleep(0.01)
            await assent.decide(asked[0], approve(), by="ada")
        approval = asyncio.create_task(approving())
        try:
            call = await assent.guard({body}, by="ada")
            print(call.output)
        finally:
            approval.cancel()
"""


OUTSIDE = (
    _works("a plain function, guarded", _guarded("plain, {'path': 'a'}")),
    _works(
        "a method, guarded",
        "class Desk:\n    async def sign(self, path: str) -> str:\n        return path\n"
        + _guarded("Desk().sign, {'path': 'a'}"),
    ),
    _refused("a lambda, guarded", _guarded("lambda path: path, {'path': 'a'}"), "name=…"),
    _refused(
        "a partial, guarded",
        "from functools import partial\n" + _guarded("partial(plain, 'a'), {}"),
        "not a functools.partial",
    ),
    _refused("a call, guarded", _guarded("plain('a'), {}"), "no agent here has it"),
    _refused("arguments as JSON", _guarded("plain, '{}'"), "arguments must be a mapping"),
    _refused("no key", _guarded("plain, {'path': 'a'}, key=''"), "key must be"),
    _refused(
        "a function for the tool of a guard",
        """
async def main():
    async with Assent(URL) as assent:
        await assent.guard_for(agent="a", by="ada").propose(plain, {"path": "a"})
""",
        "tool must be a tool (of @tool or external())",
    ),
    _refused(
        "a client without a scheme",
        "from assent.client import Client\nClient('localhost:8000', key='k')",
        "url must be the address of a server",
    ),
    _refused(
        "a key with its scheme",
        "from assent.client import Client\nClient('http://x.example', key='Bearer k')",
        "key must be an API key",
    ),
    _refused("a command in one text", "McpServer('a', command='x', args='-y b')", "a list of"),
    _refused("an address without a scheme", "McpServer('a', url='x.example')", "http or https"),
    _refused("no servers", "Agent('a', model=model, mcp=None)", "mcp must be"),
    _refused(
        "a file that is not there",
        """
async def main():
    async with Assent(URL, agents=[Agent("a", model=model, mcp="servers.json")]):
        pass
""",
        "servers.json: it cannot be read",
    ),
    _refused("a rule that denies", "OwnRule('deny', tool='a')", "effect must be 'ask' or 'allow'"),
    _refused("a rule about nothing", "OwnRule('ask')", "one of the three"),
)

SNIPPETS = (*OPENING, *SENDING, *DECIDING, *TOOLS, *MODELS, *FORMS, *OUTSIDE)
