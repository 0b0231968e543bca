"""The table of verdicts: how each is named, offered, read from its fields and told afterwards.

Pages, the terminal, the API and streams read it; docs/extending.md says how to add a verdict.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from assent.domain.decisions import (
    Approve,
    Cancel,
    DidNotRun,
    Fail,
    Give,
    Ran,
    Reject,
    RunAgain,
    RunVerdict,
    Supply,
    Verdict,
    VerdictName,
)
from assent.domain.lifecycle import RequestKind
from assent.errors import InvalidVerdict

APPROVAL, INPUT, RESULT, OUTCOME = RequestKind


class Verb(StrEnum):
    """An action offered to a person: the verdicts by their recorded names, and two more.

    `edit` leads to an approval of other arguments; `review` opens a surface that shows everything.
    """

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    ANSWER = "answer"
    SUPPLY = "supply"
    FAIL = "fail"
    CANCEL = "cancel"
    RAN = "ran"
    DID_NOT_RUN = "did_not_run"
    RUN_AGAIN = "run_again"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow:
    """One verdict, or one way to give it: an edit is an approval of other arguments."""

    verb: Verb
    verdict: type[Verdict]
    # The kinds of requests that it answers, and those of them whose cards do not offer it.
    answers: tuple[RequestKind, ...]
    unoffered: tuple[RequestKind, ...] = ()
    # The fields that it takes from a form, a JSON body or a command line.
    fields: tuple[str, ...]
    # The field for a person's own words, and the question for it at a terminal.
    text: str = ""
    question: str = ""
    # The effect, told before the decision, with the name of the tool; the result afterwards, as one
    # of a list and as a sentence.
    effect: str
    done: str
    notice: str
    # The button on a page, and the one that first unfolds the field for the person's words.
    label: str
    opener: str = ""
    # The key at a terminal: its letter and its label.
    key: tuple[str, str]

    @property
    def name(self) -> VerdictName:
        """The name that the decision is recorded by."""
        return VerdictName.APPROVE if self.verb is Verb.EDIT else VerdictName(self.verb)

    @property
    def runs(self) -> bool:
        """True if it lets the call run, so it has to be confirmed and counts towards a quorum."""
        return issubclass(self.verdict, RunVerdict)

    def read(self, given: Mapping[str, Any]) -> Verdict:
        """Return the verdict with the given fields; those of other verdicts are left out."""
        return self.verdict(**{name: given[name] for name in self.fields if name in given})


# In the order in which people are offered them.
VERDICTS: Final = (
    VerdictRow(
        verb=Verb.APPROVE,
        verdict=Approve,
        answers=(APPROVAL,),
        fields=("arguments", "edit", "typed"),
        effect="{tool} runs once, with exactly these arguments",
        done="approved",
        notice="Approved.",
        label="Approve",
        key=("a", "approve"),
    ),
    VerdictRow(
        verb=Verb.EDIT,
        verdict=Approve,
        answers=(APPROVAL,),
        fields=("arguments", "edit", "typed", "runs"),
        effect="change the arguments; the policy checks them again, then {tool} runs with yours",
        done="approved with changes",
        notice="Approved with your changes.",
        label="Edit…",
        key=("e", "edit"),
    ),
    VerdictRow(
        verb=Verb.REJECT,
        verdict=Reject,
        answers=(APPROVAL,),
        fields=("reason",),
        text="reason",
        question="Why not?",
        effect="it will not run; the agent is told your reason",
        done="rejected",
        notice="Rejected.",
        label="Reject",
        opener="Reject…",
        key=("r", "reject"),
    ),
    VerdictRow(
        verb=Verb.ANSWER,
        verdict=Give,
        answers=(INPUT,),
        fields=("values", "partial", "seen", "keep", "accept"),
        effect="your answers go to {tool} with these arguments, after one more check",
        done="answered",
        notice="Answered.",
        label="Send the answers",
        key=("a", "answer"),
    ),
    VerdictRow(
        verb=Verb.SUPPLY,
        verdict=Supply,
        answers=(RESULT,),
        fields=("output",),
        question="Your answer, as text or JSON; Enter goes back",
        effect="the agent gets your output as that of {tool}",
        done="result supplied",
        notice="Result supplied.",
        label="Supply the result",
        key=("s", "supply"),
    ),
    VerdictRow(
        verb=Verb.FAIL,
        verdict=Fail,
        answers=(RESULT,),
        fields=("reason",),
        text="reason",
        question="What went wrong?",
        effect="the agent is told that it failed, and why",
        done="reported as failed",
        notice="Reported as failed.",
        label="Report failure",
        opener="It failed…",
        key=("f", "fail"),
    ),
    VerdictRow(
        verb=Verb.CANCEL,
        verdict=Cancel,
        answers=(APPROVAL, INPUT, RESULT),
        unoffered=(APPROVAL,),
        fields=("reason",),
        text="reason",
        question="Why?",
        effect="withdraw the call; the agent is told your reason",
        done="cancelled",
        notice="Cancelled.",
        label="Cancel the call",
        opener="Cancel the call…",
        key=("c", "cancel"),
    ),
    VerdictRow(
        verb=Verb.RAN,
        verdict=Ran,
        answers=(OUTCOME,),
        fields=("output",),
        question="With which result, as text or JSON? Enter goes back",
        effect="it did run: nothing runs again, and the agent gets the result you give",
        done="said to have run",
        notice="It counts as run.",
        label="It ran",
        key=("r", "it ran"),
    ),
    VerdictRow(
        verb=Verb.DID_NOT_RUN,
        verdict=DidNotRun,
        answers=(OUTCOME,),
        fields=("reason",),
        text="reason",
        question="What happened?",
        effect="it did not run and will not run: the agent is told so",
        done="said not to have run",
        notice="It counts as not run.",
        label="It did not run, leave it",
        opener="Leave it…",
        key=("n", "it did not"),
    ),
    VerdictRow(
        verb=Verb.RUN_AGAIN,
        verdict=RunAgain,
        answers=(OUTCOME,),
        fields=("typed",),
        effect="it did not run: {tool} runs now, which is a new approval",
        done="run again",
        notice="It runs again.",
        label="Run it now…",
        key=("a", "run it again"),
    ),
)
_NAMES: Final = {row.verdict: row.name for row in VERDICTS}


def row_of(verb: str) -> VerdictRow:
    """Return the row of a verdict by its name on the wire; raises `InvalidVerdict` if none."""
    for row in VERDICTS:
        if row.verb == verb:
            return row
    raise InvalidVerdict(f"{verb!r:.80} is no verdict")


def name_of(verdict: Verdict) -> VerdictName:
    """Return the recorded name of a verdict."""
    return _NAMES[type(verdict)]


def words_of(verdict: Verdict) -> str:
    """Return what the person wrote with a verdict, such as a reason; empty if it takes no words."""
    text = row_of(name_of(verdict)).text
    return getattr(verdict, text) if text else ""


def offers(kind: RequestKind) -> tuple[VerdictRow, ...]:
    """Return the verdicts that people are offered for a request of this kind, in order."""
    return tuple(row for row in VERDICTS if kind in row.answers and kind not in row.unoffered)


@cache
def names_for(kind: RequestKind) -> frozenset[VerdictName]:
    """Return the names of all verdicts that answer a request of this kind."""
    return frozenset(row.name for row in VERDICTS if kind in row.answers)


def done_words(name: str) -> str:
    """Return the words for a verdict that was given, by its name."""
    return next((row.done for row in VERDICTS if row.verb == name), name.replace("_", " "))
