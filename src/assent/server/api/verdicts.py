"""The JSON of decisions: the verdicts that a person may give about a request."""

from typing import Annotated, Any, Literal

from fastapi.openapi.models import Example
from pydantic import ConfigDict, Field, StrictBool, StrictInt, model_validator

from assent.domain import decisions
from assent.domain.canonical import Json
from assent.domain.verdicts import row_of
from assent.server.api.routing import ID, Digest
from assent.server.api.schemas import Given, Problem, Shape

Reason = Annotated[str, Field(max_length=10_000, description="Told to the agent.")]
_ARGUMENTS = "The arguments to run with instead, all of them: what is left out is left out."
_EDIT = "Only what changes, argument by argument; each replaces the whole value of that name."
_RUNS = "Digest (SHA-256 of the canonical JSON) of the arguments shown as what will run."
Typed = Annotated[
    str | None,
    Field(
        max_length=200,
        description="What a person typed, where the request's `confirmation` is `typed`.",
    ),
]
Shown = Annotated[
    str | None,
    Field(
        pattern=r"^[a-z]{1,20}/[0-9]{1,9}/unicode-[0-9.]{1,20}:[0-9a-f]{64}$",
        description="The `shown` of the card that a person was shown, for the record.",
    ),
]


Seen = Annotated[
    StrictInt | None,
    Field(
        ge=0,
        le=2**31,
        description="The `draft_number` of the card that a person saw. Answers that came later from"
        " elsewhere are then not replaced, and none are sent unseen: 409 `draft_changed`.",
    ),
]


class Said(Given):
    """The base of all verdicts."""

    shown: Shown = None


class Approve(Said):
    """Run the call once, with exactly the arguments that were shown."""

    verdict: Literal["approve"]
    digest: Digest
    typed: Typed = None


class Edit(Said):
    """Run the call with other arguments; they are validated, judged again and recorded as yours."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["arguments"]}, {"required": ["edit"]}]}
    )

    verdict: Literal["edit"]
    digest: Digest
    arguments: dict[str, Any] = Field(
        default_factory=dict, description=_ARGUMENTS, examples=[{"path": "notes.txt"}]
    )
    edit: dict[str, Any] = Field(
        default_factory=dict, description=_EDIT, examples=[{"path": "notes.txt"}]
    )
    runs: Digest | None = Field(default=None, description=_RUNS)
    typed: Typed = None

    @model_validator(mode="after")
    def _one(self) -> "Edit":
        if len({"arguments", "edit"} & self.model_fields_set) != 1:
            raise ValueError("send either arguments (all of them) or edit (what changes)")
        return self


class Reject(Said):
    """Do not run the call."""

    verdict: Literal["reject"]
    reason: Reason = ""
    digest: Digest | None = None


class Answer(Said):
    """Fill in the form of an input request; `partial` keeps it as a draft."""

    verdict: Literal["answer"]
    values: dict[str, Any] = Field(examples=[{"company_id": "4620816365"}])
    partial: StrictBool = False
    seen: Seen = None
    keep: Literal["once", "conversation", "person"] | None = Field(
        default=None,
        description="How long: this once, for this conversation (what forms that save do), or, "
        "where the form says `for_person`, for all conversations of yours.",
    )
    accept: list[str] = Field(
        default_factory=list[str],
        max_length=1_000,
        description="The fields whose suggestion you take; nothing is taken unless named here.",
    )
    digest: Digest | None = None


class Supply(Said):
    """Supply the output of a call that waits for one: JSON, or content blocks."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["output"]}, {"required": ["content"]}]}
    )

    verdict: Literal["supply"]
    output: Any = None
    content: list["Block"] = Field(default_factory=list["Block"], min_length=1)
    digest: Digest | None = None

    @model_validator(mode="after")
    def _one(self) -> "Supply":
        if len({"output", "content"} & self.model_fields_set) != 1:
            raise ValueError("send either output or content")
        return self

    @property
    def value(self) -> Json:
        """The supplied output."""
        if "content" not in self.model_fields_set:
            return self.output
        return [block.model_dump(exclude_none=True) for block in self.content]


class Block(Given):
    """A piece of content: a text, or an image or file by its address or its data in base64."""

    type: Literal["input_text", "input_image", "input_file"]
    text: str | None = None
    image_url: str | None = None
    file_url: str | None = None
    file_data: str | None = None
    media_type: str | None = None


class Fail(Said):
    """Report that the call that waits for an output has failed."""

    verdict: Literal["fail"]
    reason: Reason = ""
    digest: Digest | None = None


class Cancel(Said):
    """Withdraw the call."""

    verdict: Literal["cancel"]
    reason: Reason = ""
    digest: Digest | None = None


class Ran(Said):
    """Report that a call in doubt did run, with this output."""

    verdict: Literal["ran"]
    output: Any = None
    digest: Digest | None = None


class DidNotRun(Said):
    """Report that a call in doubt did not run; it will not run later either."""

    verdict: Literal["did_not_run"]
    reason: Reason = ""
    digest: Digest | None = None


class RunAgain(Said):
    """Run a call in doubt now, because it did not run. This is a fresh approval."""

    verdict: Literal["run_again"]
    digest: Digest
    typed: Typed = None


Spoken = Approve | Edit | Reject | Answer | Supply | Fail | Cancel | Ran | DidNotRun | RunAgain
Verdict = Annotated[Spoken, Field(discriminator="verdict")]
_SEEN = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_SAID: list[dict[str, Any]] = [
    {"verdict": "approve", "digest": _SEEN},
    {"verdict": "edit", "digest": _SEEN, "arguments": {"path": "notes.txt"}},
    {"verdict": "reject", "reason": "Not that file."},
    {"verdict": "answer", "values": {"company_id": "4620816365"}},
    {"verdict": "supply", "output": {"path": "notes.txt"}},
    {"verdict": "fail", "reason": "Nobody is there."},
    {"verdict": "cancel"},
    {"verdict": "ran", "output": "deleted notes.txt"},
    {"verdict": "did_not_run"},
    {"verdict": "run_again", "digest": _SEEN},
]
Previewed = Annotated[Edit | Supply, Field(discriminator="verdict")]
EXAMPLES: dict[str, Example] = {said["verdict"]: Example(value=said) for said in _SAID}
EDIT_EXAMPLES = {verb: EXAMPLES[verb] for verb in ("edit", "supply")}


def verdict_of(said: Spoken) -> decisions.Verdict:
    """Return the same verdict as the engine takes it."""
    given = {name: getattr(said, name) for name in said.model_fields_set}
    if isinstance(said, Supply):
        given["output"] = said.value
    # Here a reason may be left out; `Fail` of the engine requires one.
    return row_of(said.verdict).read({"reason": "", **given})


def edit_of(said: Edit) -> decisions.Approve:
    """Return the approval that an edit stands for."""
    verdict = verdict_of(said)
    if not isinstance(verdict, decisions.Approve):
        raise AssertionError("an edit is an approval of other arguments")
    return verdict


class CancelBody(Given):
    """The reason why a call is withdrawn."""

    reason: Reason = ""


class OneOfBatch(Given):
    """One decision of a batch."""

    request_id: str = Field(pattern=ID)
    decision: Verdict


class Batch(Given):
    """Several decisions; each is made on its own."""

    decisions: list[OneOfBatch] = Field(min_length=1, max_length=100)


class Decided(Shape):
    """The state of a request and its call; `replayed` if this decision had been made before."""

    request_id: str
    status: str = Field(examples=["approved"])
    call_id: str
    call_status: str = Field(examples=["running"])
    turn_id: str
    conversation_id: str
    replayed: bool


class Outcome(Shape):
    """The outcome of one decision of a batch: the decision, or the problem it met."""

    request_id: str
    decided: Decided | None = None
    problem: Problem | None = None


class Outcomes(Shape):
    """The outcomes of a batch, in the order of its decisions."""

    outcomes: list[Outcome]
