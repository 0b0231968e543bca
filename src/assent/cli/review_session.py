"""Deciding one request: show its card, ask for a verdict, and make the decision."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto
from functools import partial
from typing import Any

from assent.cli.console import Console, Pager
from assent.cli.details import show_details
from assent.cli.editing import show_edit
from assent.cli.form_draft import FormDraft
from assent.cli.keyboard import Interrupted
from assent.cli.request_view import CHANNEL, RequestView, view_of
from assent.cli.screen import Ink
from assent.cli.verdicts import DETAILS, LATER, VerdictPrompt
from assent.domain.decisions import Approve, RunVerdict, Verdict
from assent.domain.events import EventKind
from assent.domain.lifecycle import RequestKind
from assent.domain.people import Person
from assent.engine.assent import Assent
from assent.engine.gate.intake import revised
from assent.errors import (
    AlreadySettled,
    AssentError,
    ConfirmationRequired,
    InvalidAnswer,
    StaleDigest,
    WriteUncertain,
)
from assent.presentation import terminal
from assent.presentation.rendering import Rendered
from assent.presentation.text import safe_line

_DOUBT = (
    "Nobody knows whether this call ran. Look for yourself before you answer. If you say that it "
    "ran, the agent goes on with the result you give; if you run it again and it had run, it runs "
    "twice."
)
_UNKNOWN = "Nobody knows yet whether that counts:"


class ReviewEnd(Enum):
    """The ways in which the review of a request ends."""

    DECIDED = auto()
    LATER = auto()
    GONE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSession:
    """Lets one person review and decide requests."""

    assent: Assent
    console: Console
    person: Person
    # True if the agent's words were on the screen just now, so that the card need not repeat them.
    heard: bool = False

    async def decide(self, request_id: str) -> ReviewEnd:
        """Show a request and ask until it is decided (here or elsewhere) or put off."""
        view = await view_of(self.assent, request_id)
        if not view.request.is_open:
            self._say_gone(view)
            return ReviewEnd.GONE
        shown, prompt = await self.show(view), self._prompt(view)
        while shown is not None:
            try:
                verdict = await self._unless_gone(view, self._verdict(prompt))
                if isinstance(verdict, ReviewEnd):
                    return verdict
                return await self.confirmed(view, verdict, shown)
            except StaleDigest:
                self.console.screen.line("It changed meanwhile. Look again:", Ink.WARNING)
                view = await view_of(self.assent, request_id)
                shown, prompt = await self.show(view), self._prompt(view)
            except Interrupted:
                self.console.screen.line("Given up; nothing is decided.", Ink.FAINT)
            except AssentError as error:
                self._refuse(error)
        return ReviewEnd.LATER

    async def show(self, view: RequestView, *, paged: bool = True) -> str | None:
        """Show the card; return what a decision records of it, None if not seen to its end."""
        screen = self.console.screen
        card = replace(view.card, agent_words="") if self.heard else view.card

        def draw(width: int) -> Rendered:
            now = datetime.now(UTC)
            return terminal.render(card, now=now, width=width, colour=screen.colour)

        screen.line()
        pager = Pager(self.console)
        rendered = await pager.show(draw) if paged else pager.print(draw)
        if rendered is None:
            return None
        if view.request.kind is RequestKind.OUTCOME:
            screen.words(_DOUBT, Ink.WARNING)
        return rendered.shown

    async def previewed(
        self, view: RequestView, verdict: Verdict, *, paged: bool = True
    ) -> Verdict | None:
        """Show an edit; return the verdict for exactly what was shown, None if not seen to its end.

        Raises an error if the edited arguments are not valid.
        """
        if not isinstance(verdict, Approve) or not verdict.is_edit or view.tool is None:
            return verdict
        frozen = revised(view.tool, verdict, view.call.arguments)
        if not await show_edit(self.console, view, frozen, paged=paged):
            return None
        return replace(verdict, runs=(frozen or view.call.arguments).digest)

    async def confirmed(self, view: RequestView, verdict: Verdict, shown: str) -> ReviewEnd:
        """Decide; if a value has to be typed, ask until it is right or the person gives up."""
        while True:
            try:
                return await self.cast(view, verdict, shown)
            except ConfirmationRequired as error:
                if not isinstance(verdict, RunVerdict):
                    raise
                verdict = replace(verdict, typed=await self.console.retyped(error))

    async def cast(self, view: RequestView, verdict: Verdict, shown: str) -> ReviewEnd:
        """Decide, on the basis of what was shown; raises the error if the decision is refused."""
        try:
            decided = await self.assent.decide(
                view.request.id,
                verdict,
                by=self.person,
                digest=view.card.digest,
                shown=shown,
                channel=CHANNEL,
            )
        except AlreadySettled as error:
            self.console.screen.words(f"Too late: {safe_line(str(error))}.", Ink.WARNING)
            return ReviewEnd.GONE
        self.console.screen.line(f"{decided.status.capitalize()}.", Ink.GOOD)
        return ReviewEnd.DECIDED

    def _refuse(self, error: AssentError) -> None:
        is_known = not isinstance(error, WriteUncertain)
        said = "That does not count, and nothing was changed:" if is_known else _UNKNOWN
        self.console.screen.line(said, Ink.BAD)
        problems = error.errors.items() if isinstance(error, InvalidAnswer) else ()
        for name, problem in problems:
            self.console.screen.quote(f"{name}: {problem}")
        if not problems:
            self.console.screen.quote(str(error))

    def _prompt(self, view: RequestView) -> VerdictPrompt:
        find = partial(self.assent.queries.options.find, self.person, view.request.id)
        draft = FormDraft(assent=self.assent, person=self.person, view=view)
        return VerdictPrompt(
            console=self.console, view=view, find=find, by=self.person, draft=draft
        )

    async def _verdict(self, prompt: VerdictPrompt) -> Verdict | ReviewEnd:
        """Return the person's verdict, after as many looks and attempts as they like."""
        view = prompt.view
        while True:
            key = await self.console.choose(prompt.keys(view.request.kind), view.countdown)
            if key is LATER:
                return ReviewEnd.LATER
            try:
                if key is DETAILS:
                    await show_details(self.assent, self.console.screen, view)
                elif (verdict := await prompt.ask(key)) is not None:
                    return verdict
            except Interrupted:
                self.console.screen.line("Given up; nothing is decided.", Ink.FAINT)

    async def _unless_gone(
        self, view: RequestView, work: Coroutine[Any, Any, Verdict | ReviewEnd]
    ) -> Verdict | ReviewEnd:
        """Return the person's verdict, unless another person or the deadline is faster."""
        deciding = asyncio.ensure_future(work)
        watching = asyncio.ensure_future(self._gone(view))
        try:
            await asyncio.wait({deciding, watching}, return_when=asyncio.FIRST_COMPLETED)
            if deciding.done():
                return deciding.result()
        finally:
            for task in (deciding, watching):
                task.cancel()
            await asyncio.gather(deciding, watching, return_exceptions=True)
        self.console.screen.line()
        self._say_gone(await view_of(self.assent, view.request.id))
        return ReviewEnd.GONE

    async def _gone(self, view: RequestView) -> None:
        about = {EventKind.DECIDED: "request_id", EventKind.RESULT: "call_id"}
        mine = {"request_id": view.request.id, "call_id": view.call.id}
        async for event in self.assent.events(view.request.turn_id):
            name = about.get(event.kind)
            is_mine = name is not None and event.data.get(name) == mine[name]
            if is_mine and not (await self.assent.request(view.request.id)).is_open:
                return
        # A turn that ended can still have an open question: a call in doubt outlives it.
        await asyncio.Event().wait()

    def _say_gone(self, view: RequestView) -> None:
        request = view.request
        by = f" by {safe_line(request.closed_by)}" if request.closed_by else ""
        words = f"{safe_line(request.tool)} is {request.status}{by}; there is nothing to decide."
        self.console.screen.words(words, Ink.WARNING)
