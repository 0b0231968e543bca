"""Messages and modals of the loopback Slack as HTML, roughly as Slack's own clients draw them.

For pictures that people look at; no test reads it.
"""

from collections.abc import Iterable
from html import escape
from typing import Any

from tests.channels.slack.workspace import Ephemeral, Message, View

STYLE = """
:root { color-scheme: light dark;
  --page: light-dark(#fff, #1a1d21); --text: light-dark(#1d1c1d, #d1d2d3);
  --muted: light-dark(#616061, #ababad); --line: light-dark(#ddd, #3d4045);
  --code: light-dark(#f8f8f8, #222529); --field: light-dark(#fff, #1a1d21);
  --green: light-dark(#007a5a, #148567); --red: light-dark(#e01e5a, #e8506e); }
* { box-sizing: border-box } body { margin: 0; padding: 16px; background: var(--page);
  color: var(--text); font: 15px/1.46668 Lato, "Helvetica Neue", Arial, sans-serif; }
.message { display: grid; grid-template-columns: 36px 1fr; gap: 0 8px; max-width: 680px;
  margin-bottom: 20px } .reply { margin-left: 44px }
.face { width: 36px; height: 36px; border-radius: 6px; background: #4a154b; color: #fff;
  display: grid; place-items: center; font-weight: 900 }
.who b { font-weight: 900 } .badge { font-size: 10px; background: var(--line); padding: 1px 4px;
  border-radius: 2px; margin: 0 4px; color: var(--muted) } .muted { color: var(--muted);
  font-size: 12px } .block { margin: 4px 0 8px } .header { font-size: 18px; font-weight: 900 }
pre { font: 12px/1.5 Monaco, Menlo, "DejaVu Sans Mono", monospace; background: var(--code);
  border: 1px solid var(--line); border-radius: 4px; padding: 8px; margin: 4px 0;
  white-space: pre-wrap; overflow-wrap: anywhere }
.actions { display: flex; flex-wrap: wrap; gap: 8px }
button, .button { font: 900 13px Lato, Arial, sans-serif; border: 1px solid var(--line);
  border-radius: 4px; padding: 0 12px; height: 32px; background: var(--page); color: var(--text) }
.primary { background: var(--green); color: #fff; border-color: transparent }
.danger { background: var(--red); color: #fff; border-color: transparent }
hr { border: 0; border-top: 1px solid var(--line); margin: 12px 0 }
.modal { max-width: 520px; border: 1px solid var(--line); border-radius: 8px; margin-bottom: 20px;
  box-shadow: 0 4px 24px #0003 } .modal > * { padding: 16px 24px } .modal .title { font-size: 22px;
  font-weight: 900; border-bottom: 1px solid var(--line) } .foot { display: flex; gap: 12px;
  justify-content: flex-end; border-top: 1px solid var(--line) }
.label { font-weight: 700; margin-top: 8px } .field { border: 1px solid var(--muted);
  border-radius: 4px; padding: 8px 12px; background: var(--field); min-height: 40px;
  white-space: pre-wrap; overflow-wrap: anywhere } .lines { min-height: 110px }
.hint { color: var(--muted); font-size: 13px } .wrong { color: var(--red); font-size: 13px }
.quiet { color: var(--muted); font-size: 12px; margin-bottom: 4px }
"""


def page(parts: Iterable[str]) -> str:
    """A page with these parts one below the other."""
    body = "".join(parts)
    return f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><body>{body}"


def message_html(message: Message | Ephemeral, *, name: str = "Assent") -> str:
    """A message with its author."""
    body = _blocks(message.blocks) if message.blocks else f"<div>{escape(message.text)}</div>"
    alone = "<div class=quiet>Only visible to you</div>" if isinstance(message, Ephemeral) else ""
    badge = "<span class=badge>APP</span>" if name == "Assent" else ""
    reply = "reply" if message.thread and message.thread != message.ts else ""
    edited = "" if isinstance(message, Ephemeral) or not message.edits else " (edited)"
    return (
        f"<div class='message {reply}'><div class=face>{escape(name[0])}</div><div>{alone}"
        f"<div class=who><b>{escape(name)}</b>{badge} <span class=muted>10:42{edited}</span></div>"
        f"{body}</div></div>"
    )


def view_html(view: View) -> str:
    """A modal with its buttons."""
    payload = view.payload
    submit = f"<button class=primary>{_plain(payload.get('submit', {}))}</button>"
    close = _plain(payload["close"]) if payload.get("close") else "Cancel"
    return (
        f"<div class=modal><div class=title>{escape(view.title)}</div>"
        f"<div>{_blocks(view.blocks, view)}</div><div class=foot><button>{close}</button>"
        f"{submit if payload.get('submit') else ''}</div></div>"
    )


def _blocks(blocks: list[Any], view: View | None = None) -> str:
    return "".join(f"<div class=block>{_block(block, view)}</div>" for block in blocks)


def _block(block: dict[str, Any], view: View | None) -> str:
    match block["type"]:
        case "header":
            return f"<div class=header>{_plain(block['text'])}</div>"
        case "divider":
            return "<hr>"
        case "section":
            fields = "".join(f"<div>{_plain(each)}</div>" for each in block.get("fields", []))
            text = _plain(block["text"]) if "text" in block else ""
            beside = _element(block["accessory"]) if "accessory" in block else ""
            return f"<div>{text}{fields} {beside}</div>"
        case "context":
            return f"<div class=muted>{' '.join(map(_plain, block['elements']))}</div>"
        case "actions":
            return f"<div class=actions>{''.join(map(_element, block['elements']))}</div>"
        case "rich_text":
            return "".join(map(_rich, block["elements"]))
        case "input":
            return _input(block, view)
        case other:
            return f"<div class=muted>[{escape(other)}]</div>"


def _plain(text: dict[str, Any]) -> str:
    return escape(text.get("text", "")).replace("\n", "<br>")


def _rich(part: dict[str, Any]) -> str:
    spans = "".join(map(_span, part["elements"]))
    match part["type"]:
        case "rich_text_preformatted":
            return f"<pre>{spans}</pre>"
        case "rich_text_quote":
            return f"<blockquote>{spans}</blockquote>"
        case "rich_text_list":
            return f"<ul>{''.join(f'<li>{_rich(each)}' for each in part['elements'])}</ul>"
        case _:
            return f"<div style='white-space:pre-wrap'>{spans}</div>"


def _span(span: dict[str, Any]) -> str:
    style = span.get("style", {})
    text = escape(span.get("text") or span.get("url") or span.get("user_id", ""))
    if style.get("bold"):
        text = f"<b>{text}</b>"
    if style.get("italic"):
        text = f"<i>{text}</i>"
    if style.get("code"):
        text = f"<code>{text}</code>"
    return f"<a href='#'>{text}</a>" if span["type"] == "link" else text


def _element(element: dict[str, Any]) -> str:
    if element["type"] == "button":
        return f"<button class={element.get('style', 'plain')}>{_plain(element['text'])}</button>"
    return f"<span class=button>{_plain(element.get('placeholder', {'text': 'Choose'}))} ▾</span>"


def _input(block: dict[str, Any], view: View | None) -> str:
    element = block["element"]
    optional = " <span class=muted>(optional)</span>" if block.get("optional") else ""
    hint = f"<div class=hint>{_plain(block['hint'])}</div>" if "hint" in block else ""
    said = view.errors.get(block["block_id"]) if view else None
    wrong = f"<div class=wrong>{escape(said)}</div>" if said else ""
    lines = "lines" if element.get("multiline") else ""
    shown = "".join(_ticks(element)) or _entered(element, view, block["block_id"])
    return (
        f"<div class=label>{_plain(block['label'])}{optional}</div>"
        f"<div class='field {lines}'>{shown}</div>{hint}{wrong}"
    )


def _ticks(element: dict[str, Any]) -> Iterable[str]:
    marks = {"radio_buttons": ("○", "◉"), "checkboxes": ("☐", "☑")}.get(element["type"])
    chosen = [element.get("initial_option"), *element.get("initial_options", [])]
    for option in element["options"] if marks else ():
        yield f"<div>{marks[option in chosen] if marks else ''} {_plain(option['text'])}</div>"


def _entered(element: dict[str, Any], view: View | None, block: str) -> str:
    state = view.values.get(block, {}).get(element["action_id"], {}) if view else {}
    chosen = state.get("selected_option") or element.get("initial_option")
    if chosen:
        return f"{_plain(chosen['text'])} ▾"
    value = state.get("value") or element.get("initial_value") or element.get("initial_date")
    empty = f"<span class=muted>{_plain(element.get('placeholder', {}))}&nbsp;</span>"
    return escape(value) if value else empty
