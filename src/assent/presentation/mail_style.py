"""The looks of a mail: styles on every element, since many mail programs keep no others.

A style sheet for dark screens comes with a letter; programs that drop it show the light colours.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from assent.domain.tools import Risk
from assent.presentation.markup import Html, element

_SANS: Final = "font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif"
_MONO: Final = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
_BADGE: Final = "display:inline-block;padding:1px 9px;border-radius:10px;font-size:12px"
_ANYWHERE: Final = "overflow-wrap:anywhere;word-break:break-word"


class Style(StrEnum):
    """The style of an element; it is also the class that the dark style sheet finds it by."""

    PAGE = "as-page"
    CARD = "as-card"
    TITLE = "as-title"
    SAFE = "as-safe"
    MODERATE = "as-moderate"
    DANGEROUS = "as-dangerous"
    TOOL = "as-tool"
    HEADING = "as-heading"
    TABLE = "as-table"
    LABEL = "as-label"
    CELL = "as-cell"
    WIDE = "as-wide"
    NEST = "as-nest"
    MUTED = "as-muted"
    STRONG = "as-strong"
    CODE = "as-code"
    BLOCK = "as-block"
    OLD = "as-old"
    NEW = "as-new"
    FOOT = "as-foot"
    BUTTON = "as-button"
    LINK = "as-link"
    WORDS = "as-words"


RISKS: Final[Mapping[Risk, Style]] = MappingProxyType(
    {Risk.SAFE: Style.SAFE, Risk.MODERATE: Style.MODERATE, Risk.DANGEROUS: Style.DANGEROUS}
)
_LIGHT: Final[Mapping[Style, str]] = {
    Style.PAGE: f"margin:0;padding:16px;background:#f6f7f9;color:#14181f;font-size:15px;"
    f"line-height:1.45;{_SANS}",
    Style.CARD: "max-width:640px;margin:12px auto 20px;padding:18px 20px;background:#ffffff;"
    "border:1px solid #dfe3e8;border-radius:10px",
    Style.TITLE: "margin:0 0 4px;font-size:20px;line-height:1.3;font-weight:650",
    Style.SAFE: f"{_BADGE};background:#e4f4ea;color:#1c6b3c",
    Style.MODERATE: f"{_BADGE};background:#fdf1dd;color:#8a5200",
    Style.DANGEROUS: f"{_BADGE};background:#fdecea;color:#b3261e",
    Style.TOOL: f"margin:0 0 12px;font-size:14px;{_ANYWHERE}",
    Style.HEADING: "margin:18px 0 6px;padding-top:12px;border-top:1px solid #dfe3e8;font-size:15px;"
    "font-weight:650",
    Style.TABLE: "width:100%;border-collapse:collapse",
    Style.LABEL: "padding:3px 14px 3px 0;vertical-align:baseline;text-align:left;font-size:13px;"
    "font-weight:400;color:#4a5361;white-space:nowrap",
    Style.CELL: f"width:100%;padding:3px 0;vertical-align:baseline;font-size:14px;{_ANYWHERE}",
    Style.WIDE: f"padding:3px 0;font-size:13px;color:#4a5361;{_ANYWHERE}",
    Style.NEST: "margin:2px 0 4px;padding-left:10px;border-left:2px solid #dfe3e8",
    Style.MUTED: "color:#667080;font-size:13px;font-weight:400",
    Style.STRONG: "color:#b3261e;font-weight:650",
    Style.CODE: f"{_MONO};font-size:13px;color:#14181f",
    Style.BLOCK: f"margin:4px 0 6px;padding:8px 10px;background:#f2f4f7;color:#14181f;"
    f"border-left:3px solid #c3c9d2;border-radius:4px;font-size:13px;line-height:1.4;"
    f"white-space:pre-wrap;{_ANYWHERE};{_MONO}",
    Style.OLD: "background:#fde8e6;color:#8c1d18;text-decoration:none",
    Style.NEW: "background:#e2f5e8;color:#14532d;text-decoration:none",
    Style.FOOT: f"margin:18px 0 0;padding-top:10px;border-top:1px solid #dfe3e8;font-size:12px;"
    f"color:#667080;{_ANYWHERE}",
    Style.BUTTON: "display:inline-block;padding:10px 18px;border-radius:8px;background:#2f5bd8;"
    "color:#ffffff;font-size:15px;font-weight:600;text-decoration:none",
    Style.LINK: "color:#2f5bd8;font-size:14px",
    Style.WORDS: "max-width:682px;margin:12px auto 0;font-size:14px;color:#4a5361",
}
_DARK: Final[Mapping[Style, str]] = {
    Style.PAGE: "background:#0e1116;color:#e8ecf2",
    Style.CARD: "background:#161b22;border-color:#2a313c",
    Style.SAFE: "background:#12301e;color:#6fd394",
    Style.MODERATE: "background:#35270f;color:#f2b95c",
    Style.DANGEROUS: "background:#3a1a18;color:#ff8a80",
    Style.HEADING: "border-color:#2a313c",
    Style.LABEL: "color:#b0b9c6",
    Style.WIDE: "color:#b0b9c6",
    Style.NEST: "border-color:#2a313c",
    Style.MUTED: "color:#8f99a8",
    Style.STRONG: "color:#ff8a80",
    Style.CODE: "color:#e8ecf2",
    Style.BLOCK: "background:#10151b;color:#e8ecf2;border-color:#3c4552",
    Style.OLD: "background:#3a1a18;color:#ff8a80",
    Style.NEW: "background:#12301e;color:#6fd394",
    Style.FOOT: "border-color:#2a313c;color:#8f99a8",
    Style.BUTTON: "background:#7ea2ff;color:#0b1020",
    Style.LINK: "color:#7ea2ff",
    Style.WORDS: "color:#b0b9c6",
}


def styled(look: Style, name: str, *children: str, **attributes: str) -> Html:
    """Return an element with a look; children that are not `Html` are escaped."""
    return element(name, *children, class_=look, style=_LIGHT[look], **attributes)


def dark_sheet() -> str:
    """Return the style sheet for dark screens."""
    rules = (
        f".{look}{{{style.replace(';', ' !important;')} !important}}"
        for look, style in _DARK.items()
    )
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
