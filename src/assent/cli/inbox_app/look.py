"""The look of the inbox: styles of roles and risks, and the style sheet.

Every colour stands beside a word or a sign that says the same.
"""

from collections.abc import Mapping
from typing import Final, cast

from rich.style import Style
from textual.app import App
from textual.widget import Widget

from assent.domain.tools import Risk
from assent.presentation.sheet import SpanRole

DARK, LIGHT = "textual-dark", "textual-light"
# A terminal with fewer columns shows either the list or the card, not both.
WIDE_COLUMNS: Final = 100
# The columns that the heading of a card takes with the longest risk; narrower would break it.
CARD_COLUMNS: Final = 40
# A terminal with fewer columns shows the choices below each other.
SLIM_COLUMNS: Final = 60
DIALOG_COLUMNS: Final = 92

_SIGNS: Final = {Risk.DANGEROUS: "▲", Risk.MODERATE: "◆", Risk.SAFE: "●"}
_SAME: Final[Mapping[SpanRole, Style]] = {
    SpanRole.TITLE: Style(bold=True),
    SpanRole.HEADING: Style(bold=True, underline=True),
    SpanRole.STRONG: Style(bold=True),
    SpanRole.PLAIN: Style(),
    SpanRole.CLOCK: Style(bold=True),
    SpanRole.SAFE: Style(color="#000000", bgcolor="#7fd0a8", bold=True),
    SpanRole.MODERATE: Style(color="#000000", bgcolor="#f0c24b", bold=True),
    SpanRole.DANGEROUS: Style(color="#ffffff", bgcolor="#b3261e", bold=True),
    SpanRole.MARK: Style(color="#000000", bgcolor="#f0c24b"),
}
# Blue and orange instead of green and red: most people who mix up two colours mix up those two.
_ON_DARK: Final[Mapping[SpanRole, Style]] = {
    SpanRole.FRAME: Style(color="#7d8590"),
    SpanRole.LABEL: Style(color="#7cc5ff"),
    SpanRole.MUTED: Style(color="#9aa4af"),
    SpanRole.ADDED: Style(color="#7cc5ff"),
    SpanRole.REMOVED: Style(color="#ffb26b"),
    SpanRole.WARNING: Style(color="#ffd166", bold=True),
}
_ON_LIGHT: Final[Mapping[SpanRole, Style]] = {
    SpanRole.FRAME: Style(color="#6b7280"),
    SpanRole.LABEL: Style(color="#0b5cad"),
    SpanRole.MUTED: Style(color="#57606a"),
    SpanRole.ADDED: Style(color="#0b5cad"),
    SpanRole.REMOVED: Style(color="#a04000"),
    SpanRole.WARNING: Style(color="#8a5a00", bold=True),
}
_RISK_ROLES: Final = {
    Risk.DANGEROUS: SpanRole.DANGEROUS,
    Risk.MODERATE: SpanRole.MODERATE,
    Risk.SAFE: SpanRole.SAFE,
}


def style_of(role: SpanRole, widget: Widget) -> Style:
    """Return the style of a role in the theme of this widget."""
    # The library leaves open which app a widget belongs to.
    dark = cast("App[None]", widget.app).current_theme.dark  # pyright: ignore[reportUnknownMemberType]
    return _SAME.get(role) or (_ON_DARK if dark else _ON_LIGHT).get(role, Style())


def badge_of(risk: Risk) -> tuple[str, SpanRole]:
    """Return a risk as a sign and a word of one width, and the role of both."""
    return f" {_SIGNS[risk]} {risk.upper():<9} ", _RISK_ROLES[risk]


SHEET: Final = f"""
Screen {{ layout: vertical; }}
* {{ scrollbar-size-vertical: 1; }}
#head {{ height: 1; background: $primary-darken-2; color: $text; padding: 0 1; }}
#body {{ height: 1fr; }}
#list {{ width: 46; border-right: vkey $primary-darken-1; scrollbar-gutter: stable; }}
#reading {{ width: 1fr; }}
#card {{ height: 1fr; scrollbar-gutter: stable; padding: 0 1; }}
#progress {{ height: 1; padding: 0 1; background: $panel; color: $text; }}
ActionBar {{ height: auto; min-height: 1; padding: 0 1; background: $panel; }}
ActionKey {{ width: auto; height: 1; margin: 0 2 0 0; background: $surface-lighten-2; }}
ActionBar .later {{ width: auto; height: 1; margin-right: 1; color: $text-muted; }}
ActionKey:hover {{ background: $primary; }}
ActionKey.-closed {{ color: $text-muted; background: $panel; }}
#note {{ height: auto; min-height: 1; max-height: 3; padding: 0 1; background: $boost; }}
#keys {{ height: 1; padding: 0 1; color: $text-muted; background: $surface; }}
.-narrow #list {{ width: 1fr; border-right: none; }}
.-narrow #reading {{ display: none; }}
.-narrow.-reading #list {{ display: none; }}
.-narrow.-reading #reading {{ display: block; }}
.-slim ActionBar {{ layout: vertical; min-height: 3; }}

.dialog {{ align: center middle; }}
.dialog > #dialog {{
    width: 90%; max-width: {DIALOG_COLUMNS}; height: auto; max-height: 95%;
    border: round $primary; padding: 0 1; background: $surface;
}}
.dialog #title {{ text-style: bold; width: 1fr; height: auto; }}
.dialog .words {{ width: 1fr; height: auto; margin-top: 1; }}
.dialog .foreign {{
    width: 1fr; height: auto; margin: 0 0 0 1; border-left: outer $primary; padding-left: 1;
}}
.dialog #problem {{
    display: none; width: 1fr; height: auto; color: $text-error; text-style: bold;
}}
.dialog #buttons {{ height: auto; margin-top: 1; }}
.dialog #buttons Button {{ margin-right: 2; background: $primary-darken-2; color: $text; }}
.dialog #buttons Button:focus {{ background: $primary; text-style: bold reverse; }}
.dialog TextArea {{ height: 8; }}
.dialog Input, .dialog TextArea, .dialog SelectCurrent {{ background: $foreground 10%; }}
.dialog Input:focus, .dialog TextArea:focus, .dialog Select:focus SelectCurrent {{
    background: $primary 30%;
}}
.dialog.-tall > #dialog {{ height: 95%; }}
.dialog.-tall CardView {{ height: 1fr; }}
.dialog.-tall VerticalScroll {{ height: 1fr; }}
.dialog .heading {{ text-style: bold; }}
.dialog .key {{ width: 1fr; height: auto; padding-left: 2; }}
.field {{ height: auto; margin-bottom: 1; }}
.field .label {{ text-style: bold; width: 1fr; height: auto; }}
.field .help {{ color: $text-muted; width: 1fr; height: auto; }}
.field .error {{ display: none; color: $text-error; text-style: bold; width: 1fr; height: auto; }}
.field SelectionList {{ height: auto; max-height: 10; }}
.-narrow.dialog > #dialog {{ width: 100%; }}
"""
