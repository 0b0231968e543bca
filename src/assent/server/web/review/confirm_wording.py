"""The words of a confirmation, which say what a yes will do."""

from dataclasses import dataclass
from typing import Final

from assent.domain.requests import Request
from assent.domain.verdicts import Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The words of a confirmation; `note` explains the approval where several are needed."""

    heading: str
    button: str
    # The heading above the arguments of an edit.
    whole: str
    note: str = ""


_ALONE: Final = Wording(
    heading="Run it with these changes?", button="Yes, run it once", whole="It will run with"
)


def wording_of(request: Request, verb: Verb, *, is_changed: bool = True) -> Wording:
    """Return the words that ask to run it now, or for one of several approvals."""
    is_last = request.votes + 1 >= request.quorum
    if verb is Verb.EDIT and is_changed:
        return _ALONE if request.quorum == 1 else _anew(request)
    if verb is Verb.RUN_AGAIN:
        heading = "Run it now, after all?" if is_last else "Approve running it after all?"
    else:
        heading = "Run this now?" if is_last else "Approve this?"
    return Wording(
        heading=heading,
        button="Yes, run it once" if is_last else "Yes, approve it",
        whole="It will run with" if is_last else "It would run with",
        note=_worth(request) if request.quorum > 1 else "",
    )


def _anew(request: Request) -> Wording:
    # People who approved before have not seen these arguments.
    earlier = "; those given before do not count for it" if request.votes else ""
    return Wording(
        heading="Ask for it with these changes?",
        button="Yes, ask for this instead",
        whole="It would run with",
        note=f"It does not run yet: a new question is put to everybody who decides it. Yours is the"
        f" first of {request.quorum} approvals{earlier}.",
    )


def _worth(request: Request) -> str:
    left = request.quorum - request.votes - 1
    if left <= 0:
        return f"Yours is the last of {request.quorum} approvals."
    return f"Yours is one of {request.quorum} approvals: {left} more to come before it runs."
