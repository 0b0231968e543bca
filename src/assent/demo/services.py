"""The demo's tools for services; each asks people in a different way."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from assent.domain.canonical import Json
from assent.domain.declarations import tool
from assent.domain.forms import Field, FieldType, Option, ShowIf, UserInput
from assent.domain.tools import Risk, Tool

ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]

_REALM = UserInput(
    "QuickBooks API requests require your Company ID (Realm ID)",
    [
        Field(
            "quickbooks_realm_id",
            label="QuickBooks Company ID",
            help="Any 10 to 20 digits will do in this demo.",
            placeholder="9130346988354456",
            pattern="[0-9]{10,20}",
            message="A Company ID has 10 to 20 digits.",
        )
    ],
    save="person",
)

_SERVER = UserInput(
    "An SSH connection needs an account on the server",
    [
        Field(
            "ssh_username",
            label="Username",
            pattern="[a-z_][a-z0-9_-]{0,31}",
            message="A username has small letters, digits, '_' and '-'.",
            suggest="tool",
        ),
        Field(
            "ssh_port", label="Port", type=FieldType.NUMBER, default=22, minimum=1, maximum=65535
        ),
        Field(
            "ssh_login",
            label="How to log in",
            type=FieldType.SELECT,
            options=[Option("password", "with a password"), Option("key", "with a key file")],
        ),
        Field(
            "ssh_password",
            label="Password",
            type=FieldType.SECRET,
            help="Not shown, not told to the model, stored encrypted until the call is over.",
            show_if=ShowIf("ssh_login", "password"),
        ),
        Field(
            "ssh_key_file",
            label="Key file",
            default="~/.ssh/id_ed25519",
            show_if=ShowIf("ssh_login", "key"),
        ),
    ],
)


@tool(
    risk=Risk.MODERATE,
    category="accounting",
    user_input=_REALM,
    description="Make a read-only request to the QuickBooks Online API. This demo is offline: it "
    "answers with made-up numbers.",
)
def quickbooks_online_api_request(
    endpoint: ShortText, start_date: Day, end_date: Day, quickbooks_realm_id: str
) -> dict[str, Json]:
    """Answer as the API might, with numbers that depend only on the company."""
    company = int(quickbooks_realm_id[-6:])
    income, costs = 40_000 + company % 9_000, 21_000 + company % 4_000
    return {
        "url": f"https://quickbooks.api.intuit.com/v3/company/{quickbooks_realm_id}/{endpoint}",
        "from": start_date,
        "to": end_date,
        "income": income,
        "costs": costs,
        "profit": income - costs,
        "note": "Made up by the offline demo; nothing was requested.",
    }


@tool(
    risk=Risk.MODERATE,
    requires_approval=True,
    category="network",
    impact="Would open a session on the server; this demo only pretends",
    user_input=_SERVER,
    description="Connect to a server by SSH. This demo is offline: it only pretends.",
)
def ssh_connect(
    host: ShortText,
    *,
    ssh_username: str,
    ssh_login: Literal["password", "key"],
    ssh_port: int = 22,
    ssh_password: str | None = None,
    ssh_key_file: str | None = None,
) -> str:
    """Describe the connection that would have been made; the password is not used."""
    means = f"the key {ssh_key_file}" if ssh_login == "key" else _described(ssh_password or "")
    return (
        f"Pretended to connect to {ssh_username}@{host}:{ssh_port} with {means}. "
        "This demo opens no connections."
    )


def _described(password: str) -> str:
    return f"a password of {len(password)} characters"


@tool(requires_approval=True, category="test")
def test_discord_approval(test_parameter: ShortText) -> str:
    """Test tool for the approval mechanism.

    Args:
        test_parameter: Any text; it comes back in the result.
    """
    return f"Test tool executed successfully with parameter: {test_parameter}"


SERVICE_TOOLS: tuple[Tool, ...] = (
    quickbooks_online_api_request,
    ssh_connect,
    test_discord_approval,
)
