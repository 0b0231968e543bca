"""The picture of the inbox in the documentation: `python -m tests.cli.inbox_app.picture FILE`."""

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from assent import Agent, Assent, Person, Risk, tool
from assent.cli.inbox_app.app import InboxApp
from assent.cli.inbox_app.local_backend import LocalBackend
from assent.domain.messages import Prompt, UserSaid
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel, calls, says
from tests.cli.inbox_app.office import Seat

ANA = Person("ana")
KEY = "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
SAID = {
    "refund": ("", {"order": "7731", "amount": 129.9}),
    "send_mail": ("", {"to": "mira@acme.example", "subject": "Your account", "text": "Dear Mira,"}),
    "delete_customer": (
        "Acme asked us to forget them. Their invoice is paid.",
        {"customer": "acme-4711", "reason": "asked for it on 14 November"},
    ),
}


@tool(risk=Risk.DANGEROUS, requires_approval=True, category="customers", impact="Cannot be undone")
async def delete_customer(customer: str, reason: str, keep_invoices: bool = True) -> str:
    """Delete a customer and everything stored about them."""
    return f"deleted {customer}"


@tool(risk=Risk.MODERATE, requires_approval=True)
async def send_mail(to: str, subject: str, text: str) -> str:
    """Send a mail in the company's name."""
    return f"sent to {to}"


@tool(risk=Risk.MODERATE, requires_approval=True)
async def refund(order: str, amount: float) -> str:
    """Pay back an order."""
    return f"paid {amount} for {order}"


def script(prompt: Prompt) -> ScriptStep:
    """Call the tool that the message names."""
    name = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    words, arguments = SAID[name]
    return says(words, calls(name, arguments))


async def drawn() -> str:
    """The card of a dangerous call beside the list, as SVG."""
    tools = [delete_customer, send_mail, refund]
    agent = Agent("support", model=ScriptedModel(script), tools=tools)
    with tempfile.TemporaryDirectory() as folder:
        async with Assent(f"sqlite:///{folder}/assent.db", agents=[agent]) as assent:
            for name in SAID:
                await assent.send("support", name, by=ANA)
            backend = LocalBackend(assent=assent, by=ANA, place="sqlite:///assent.db")
            app = InboxApp(backend)
            async with app.run_test(size=(112, 36)) as pilot:
                seat = Seat(app, pilot, backend)
                await seat.read(len(SAID))
                await seat.sees("live", " a  approve")
                return app.export_screenshot(title="assent inbox")


def main() -> None:
    os.environ.setdefault("ASSENT_KEY", KEY)
    # The reader's own fonts: nothing is loaded from elsewhere.
    svg = re.sub(r"@font-face \{.*?\}\n?", "", asyncio.run(drawn()), flags=re.DOTALL)
    text = "\n".join(line.rstrip() for line in svg.splitlines())
    Path(sys.argv[1]).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
