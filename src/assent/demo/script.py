"""The demo's scripted model, which understands a list of sentences.

Its answers depend only on the conversation, so a restart does not matter.
"""

import base64
import json
from collections.abc import Sequence
from datetime import timedelta

from assent.demo.sentences import HELP, WHAT_I_AM, understand
from assent.domain.canonical import Json
from assent.domain.copies import changed
from assent.domain.file_fields import size_text
from assent.domain.messages import (
    Answer,
    Block,
    HistoryItem,
    ModelSaid,
    Prompt,
    TextBlock,
    ToolOutput,
    UserSaid,
)
from assent.engine.settings import Texts
from assent.models.scripted import ScriptedModel, says

WORD_DELAY = timedelta(milliseconds=25)
# Results are told word by word: a whole file would take minutes.
TOLD_CHARS = 1_500
_TEXTS = Texts()
_EDITED = _TEXTS.edited.partition("{")[0]
_FEEDBACK = _TEXTS.feedback.partition("{")[0]
_SURPLUS = _TEXTS.surplus.partition("{")[0]
# The texts that a model gets for a call that did not run, in words for the people in the chat. Any
# other error is the tool's own.
_NOT_RUN = {
    _TEXTS.rejected: "It was rejected.",
    _FEEDBACK: "It was rejected: ",
    _TEXTS.expired: "It was not decided in time.",
    _TEXTS.cancelled: "It was cancelled.",
    _TEXTS.superseded: "You went on to something else.",
    _TEXTS.aborted: "You stopped it.",
    _SURPLUS: "Those were too many calls at once.",
    _TEXTS.repeated: "It was the same call again and again.",
}


def demo_model(*, word_delay: timedelta = WORD_DELAY) -> ScriptedModel:
    """Return the scripted model of the demo."""
    return ScriptedModel(reply, word_delay=word_delay)


def reply(prompt: Prompt) -> Answer:
    """Return the next answer of the script, which depends only on the prompt."""
    history = prompt.history
    asked = max((n for n, said in enumerate(history) if isinstance(said, UserSaid)), default=None)
    if asked is None:
        return says(HELP)
    outputs = _outputs(history[asked:])
    if outputs:
        return says("\n\n".join(map(_report, outputs)))
    said = history[asked]
    answer = understand(said.text if isinstance(said, UserSaid) else "")
    if isinstance(said, UserSaid) and said.files and not answer.proposals:
        answer = says(_received(said.files))
    is_first = not any(isinstance(said, ModelSaid) for said in history[:asked])
    return _numbered(_introduced(answer) if is_first else answer, len(history))


def _outputs(said: tuple[HistoryItem, ...]) -> list[ToolOutput]:
    return [output for each in said if isinstance(each, ModelSaid) for output in each.outputs]


def _received(files: Sequence[Block]) -> str:
    """Return what a model was given beside a message, in words."""
    return "\n".join(["I was given this, and a real model would read it:\n", *map(_file, files)])


def _file(block: Block) -> str:
    if isinstance(block, TextBlock):
        return f"- {block.text}"
    size = len(base64.b64decode(block.data or ""))
    return f"- {block.name}: {block.media_type}, {size_text(size)}"


def _introduced(answer: Answer) -> Answer:
    if WHAT_I_AM in answer.text:
        return answer
    return changed(answer, text=f"{WHAT_I_AM} Say help to see them.\n\n{answer.text}")


def _numbered(answer: Answer, place: int) -> Answer:
    proposals = tuple(
        changed(proposal, provider_id=f"scripted_{place}_{number}")
        for number, proposal in enumerate(answer.proposals, start=1)
    )
    return changed(answer, proposals=proposals)


def _report(output: ToolOutput) -> str:
    """Return the outcome of a call in words."""
    text = _text(output)
    if not output.failed:
        return _told(output.tool, text)
    note, said = _apart(text)
    error = _parsed(said)
    reason = str(error.get("error", said)) if isinstance(error, dict) else said
    return "\n".join(filter(None, (note, _shortened(_failure(output.tool, reason)))))


def _failure(tool: str, reason: str) -> str:
    if reason.startswith(_TEXTS.unknown):
        return f"The outcome of {tool} is unknown: it may have run."
    told = next((begin for begin in _NOT_RUN if reason.startswith(begin)), None)
    if told is None:
        return f"{tool} failed. {reason}"
    said = reason.removeprefix(told) if told == _FEEDBACK else ""
    return f"{tool} did not run. {_NOT_RUN[told]}{said}"


def _told(tool: str, text: str) -> str:
    note, said = _apart(text)
    parts = (note, f"{tool} answered:", _shortened(_in_lines(_parsed(said)).rstrip()))
    return "\n".join(part for part in parts if part)


def _apart(text: str) -> tuple[str, str]:
    """Split a text into the note about a person's edit, on its first line, and the result."""
    if not text.startswith(_EDITED):
        return "", text
    note, _, said = text.partition("\n")
    return note, said


def _shortened(text: str) -> str:
    left = len(text) - TOLD_CHARS
    return text if left <= 0 else f"{text[:TOLD_CHARS]}\n… and {left:,} more characters"


def _in_lines(value: Json) -> str:
    """Return a result as lines for people."""
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
    """Return a tool's result parsed; a text that happens to be a number stays text."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) else text
