"""Arguments as text for an editor, and the approval that the edited text stands for."""

import json
import re
from collections.abc import Mapping

from assent.domain.canonical import DEFAULT_LIMITS, Json, JsonLimits, parse
from assent.domain.decisions import Approve
from assent.engine.vault import MASKED
from assent.errors import InvalidArguments
from assent.presentation.characters import is_enclosing, is_hidden, is_mark

# Escapes and indentation make the text several times as long as the value.
_LIMITS = JsonLimits(bytes=8 * DEFAULT_LIMITS.bytes)
_UNUSUAL = re.compile(r"[^\x20-\x7e\n]")


def text_of(arguments: Mapping[str, Json]) -> str:
    """Return arguments as JSON text in which every character is visible; others are escaped."""
    text = json.dumps(dict(arguments), ensure_ascii=False, indent=2)
    return f"{_UNUSUAL.sub(_escaped, text)}\n"


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    unseen = is_hidden(char) or is_mark(char) or is_enclosing(char)
    return json.dumps(char)[1:-1] if unseen else char


def approval_of(tool: str, before: Mapping[str, Json], text: str) -> Approve:
    """Return the approval with the arguments in the text; raises an error if it is not an object.

    What is masked before stays as it is if its mask is untouched.
    """
    after = parse(text, _LIMITS)
    if not isinstance(after, dict):
        raise InvalidArguments(tool, ["arguments: a JSON object is wanted: {…}"])
    masked = {name for name, value in before.items() if value == MASKED}
    if not masked:
        return Approve(arguments=after)
    # The value behind a mask is not known here, so only what changed is sent, and nothing can be
    # left out.
    if gone := sorted(before.keys() - after.keys()):
        because = "beside a masked one, an argument can be changed but not removed"
        raise InvalidArguments(tool, [f"{name}: {because}" for name in gone])
    changed = {n: v for n, v in after.items() if n not in before or _differs(v, before[n])}
    return Approve(edit=changed)


def _differs(after: Json, before: Json) -> bool:
    # As JSON, because in Python True equals 1.
    return json.dumps(after, sort_keys=True) != json.dumps(before, sort_keys=True)
