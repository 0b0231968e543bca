"""Previews: what a call would do, as its tool says before people are asked."""

import asyncio
import logging
import traceback
from dataclasses import replace
from datetime import timedelta

import msgspec

from assent.domain.author_functions import call_function
from assent.domain.outputs import cut
from assent.domain.tools import Arguments, Context, Preview, Tool
from assent.engine.cancellation import is_ours

log = logging.getLogger(__name__)
MAX_CHARS = 262_144


async def preview(
    tool: Tool, arguments: Arguments, context: Context, *, within: timedelta
) -> Preview | None:
    """Return the tool's preview, if it has one; a failure is shown and never fatal."""
    if tool.preview is None:
        return None
    try:
        async with asyncio.timeout(within.total_seconds()):
            # A copy: changes that the preview makes must not be in what runs.
            copied = msgspec.to_builtins(dict(arguments))
            return _bounded(await call_function(tool.preview, copied, context))
    except BaseException as error:
        if is_ours(error):
            raise
        said = "".join(traceback.format_exception_only(error)).strip()
        log.warning("the preview of %r failed: %r", tool.name, said)
        return Preview(text=cut(said), failed=True)


def _bounded(made: object) -> Preview | None:
    """Return a preview short enough to store with its request; raises if it is not a preview."""
    match made:
        case None:
            return None
        case str():
            return Preview(text=_shortened(made))
        case Preview(text=str(), before=str() | None, after=str() | None, failed=bool()):
            longest = max(len(made.before or ""), len(made.after or ""))
            if longest > MAX_CHARS:
                # Not cut: two texts that differ in the middle would look the same.
                raise ValueError(f"texts of {longest:,} characters are too long to be compared")
            return replace(made, text=_shortened(made.text))
        case _:
            kind = type(made).__name__
            raise TypeError(f"a preview is a text, a Preview or None, not {kind}")


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_CHARS else cut(text)
