"""The table of field types: complete, and the only place that knows the types."""

from pathlib import Path

import assent
from assent.domain.field_types import FIELD_KINDS, FieldType

SOURCE = Path(assent.__file__).parent
# The demo and the suite of channels declare forms, as users do; chats make their own, for reasons,
# edits and how long answers are kept, MCP servers ask theirs, a message says what files it takes.
DECLARING = {
    "adapters/mcp/elicitation.py",
    "channels/desk.py",
    "channels/edits.py",
    "channels/form_pages.py",
    "domain/attachments.py",
    "domain/field_types/__init__.py",
    "domain/fields.py",
    "testing/channel_stage.py",
} | {f"demo/{each.name}" for each in (SOURCE / "demo").glob("*.py")}


def test_every_field_type_has_a_row() -> None:
    assert set(FIELD_KINDS) == set(FieldType)


def test_no_surface_compares_field_types() -> None:
    code = [each for kind in ("*.py", "*.html") for each in SOURCE.rglob(kind)]
    named = {
        str(each.relative_to(SOURCE))
        for each in code
        if "FieldType." in (text := each.read_text()) or "field.type ==" in text
    }

    assert code
    assert named <= DECLARING
