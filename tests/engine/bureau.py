"""Tools of a family that ask for what a person may keep, and a model that calls them."""

from dataclasses import dataclass, field
from typing import Any

from assent import Assent, Field, FieldType, Hint, Person, Tool, UserInput, answer, tool
from assent.domain.decisions import Give
from assent.domain.messages import Answer, Prompt
from assent.domain.suggestions import Suggest
from assent.engine.queries.snapshots import Turn
from assent.testing import calls, says

ADA, BEN = Person("ada"), Person("ben")
PIN = "c4n4ry-9731"


def calls_what_is_said(prompt: Prompt) -> Answer | str:
    """Call the tool that the message names, with what follows as the agent's `company`."""
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    name, _, company = str(getattr(prompt.history[-1], "text", "file_return")).partition(" ")
    return says("", calls(name, year=2025, **({"company": company} if company else {})))


@dataclass
class Bureau:
    """Two tools of the family `tax`, one without, and what they were given."""

    given: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def fields(self, **company: Any) -> list[Field]:
        """The fields of every form here."""
        return [
            Field("company", **company),
            Field("staff", type=FieldType.NUMBER, required=False),
            Field("urgent", type=FieldType.BOOLEAN, required=False),
            Field("pin", type=FieldType.SECRET, required=False, may_keep=True),
            Field("code", type=FieldType.SECRET, required=False),
        ]

    def tool(
        self, name: str = "file_return", fields: list[Field] | None = None, **more: Any
    ) -> Tool:
        """Return a tool with a form; `save` and `family` are those of the form."""
        form = {key: more.pop(key) for key in ("save", "family") if key in more}
        form.setdefault("save", "person")

        async def body(  # noqa: PLR0917 - the fields of the form
            year: int,
            company: str = "",
            staff: float | None = None,
            urgent: bool | None = None,
            pin: str = "",
            code: str = "",
        ) -> str:
            """File a tax return."""
            self.given.append(
                {"company": company, "staff": staff, "urgent": urgent, "pin": pin, "code": code}
            )
            return "filed"

        wanted = UserInput("The tax office wants to know", fields or self.fields(), **form)
        return tool(name=name, user_input=wanted, **more)(body)

    def suggesting(self, name: str = "file_return", suggest: Any = "tool", **more: Any) -> Tool:
        """Return a tool whose company is suggested, and is not kept."""
        hidden = more.pop("hidden", False)
        hints = {"company": Hint(secret=True)} if hidden else {}
        options = more.pop("field", {})
        fields = self.fields(suggest=suggest, **options)
        return self.tool(name, fields, save=False, hints=hints, **more)


def within(calls: str = "tool", where: str = "person") -> Suggest:
    """Return where suggestions come from."""
    return Suggest(calls, within=where)  # pyright: ignore[reportArgumentType] - as people write it


async def file(
    assent: Assent,
    given: Give | None = None,
    *,
    by: Person = ADA,
    say: str = "file_return",
    **at: Any,
) -> Turn:
    """Send a message and, if it asks for input, answer it."""
    turn = await assent.send("agent", say, by=by, **at)
    if given is not None:
        [request] = turn.pending
        await assent.decide(request.id, given, by=by)
        turn = await assent.wait(turn.id)
    return turn


def kept(**values: Any) -> Give:
    """Answer, and keep the answers for all conversations."""
    return answer(values).keeping("person")
