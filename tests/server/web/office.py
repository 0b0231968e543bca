"""An office whose tools differ in risk and in who decides, and a model that does as it is told."""

from dataclasses import dataclass, field
from typing import Any

from assent import Audience, Person, Risk, UserInput, tool
from assent.domain.confirmations import Confirmation
from assent.domain.fields import Field
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.domain.tools import Hint
from assent.models.scripted import ScriptStep
from assent.testing import calls, says
from tests.server.conftest import Served

USER = Person("user", roles=frozenset({"requester"}))


@dataclass
class Office:
    """Tools that note what really ran."""

    ran: list[Any] = field(default_factory=list[Any])

    @property
    def tools(self) -> list[Any]:
        ran = self.ran

        @tool(risk=Risk.DANGEROUS, requires_approval=True)
        async def erase(word: str) -> str:
            """Erase something."""
            ran.append(("erase", word))
            return "erased"

        @tool(risk=Risk.MODERATE, requires_approval=True)
        async def refund(word: str) -> str:
            """Give money back."""
            ran.append(("refund", word))
            return "refunded"

        @tool(risk=Risk.SAFE, requires_approval=True)
        async def book(word: str) -> str:
            """Book a room."""
            ran.append(("book", word))
            return "booked"

        @tool(risk=Risk.MODERATE, requires_approval=True, confirmation=Confirmation.STEP)
        async def publish(word: str) -> str:
            """Publish a text."""
            ran.append(("publish", word))
            return "published"

        @tool(
            risk=Risk.MODERATE,
            requires_approval=True,
            approvers=Audience.of("approver", exclude_requester=True),
        )
        async def hire(word: str) -> str:
            """Hire somebody."""
            ran.append(("hire", word))
            return "hired"

        @tool(risk=Risk.SAFE, requires_approval=True, hints={"word": Hint(secret=True)})
        async def whisper(word: str) -> str:
            """Say something in secret."""
            ran.append(("whisper", word))
            return "said"

        @tool(user_input=UserInput("Which one?", fields=[Field("room")]))
        async def choose(word: str, room: str) -> str:
            """Choose a room."""
            ran.append(("choose", word, room))
            return "chosen"

        return [erase, refund, book, publish, hire, whisper, choose]


def script(prompt: Prompt) -> ScriptStep:
    """ "<tool> <word>": calls the tool with the word."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done."
    said = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    name, _, word = said.partition(" ")
    return says("", calls(name, word=word))


async def ask(served: Served, *texts: str, by: Person = USER) -> list[str]:
    """Say each of these in a conversation of its own; the ids of what then waits."""
    found: list[str] = []
    for text in texts:
        turn = await served.assent.send("agent", text, by=by)
        found += [request.id for request in turn.pending]
    return found
