"""Components of messages and modals: their types, their limits, and ways to find one."""

from collections.abc import Collection, Iterator
from enum import IntEnum
from typing import Any, cast

from assent.demo.discord_sandbox.form_body import Part, size
from assent.demo.discord_sandbox.refusals import Payload


class ComponentType(IntEnum):
    """Discord's numbers."""

    ROW = 1
    BUTTON = 2
    STRING_SELECT = 3
    TEXT_INPUT = 4
    USER_SELECT = 5
    ROLE_SELECT = 6
    MENTIONABLE_SELECT = 7
    CHANNEL_SELECT = 8
    SECTION = 9
    TEXT_DISPLAY = 10
    SEPARATOR = 14
    CONTAINER = 17
    LABEL = 18
    RADIO_GROUP = 21
    CHECKBOX_GROUP = 22
    CHECKBOX = 23


LINK_STYLE = 5
_BUTTON_STYLES = (1, 2, 3, 4, LINK_STYLE)
SELECTS = frozenset(
    {
        ComponentType.STRING_SELECT,
        ComponentType.USER_SELECT,
        ComponentType.ROLE_SELECT,
        ComponentType.MENTIONABLE_SELECT,
        ComponentType.CHANNEL_SELECT,
    }
)
_IN_ROW = frozenset({ComponentType.BUTTON}) | SELECTS
_IN_LABEL = SELECTS | {
    ComponentType.TEXT_INPUT,
    ComponentType.RADIO_GROUP,
    ComponentType.CHECKBOX_GROUP,
    ComponentType.CHECKBOX,
}
_IN_CONTAINER = frozenset(
    {
        ComponentType.ROW,
        ComponentType.SECTION,
        ComponentType.TEXT_DISPLAY,
        ComponentType.SEPARATOR,
    }
)
_TOP_OF_LAYOUT = _IN_CONTAINER | {ComponentType.CONTAINER}
_IN_MODAL = frozenset({ComponentType.ROW, ComponentType.LABEL, ComponentType.TEXT_DISPLAY})
ROWS, ROW_WIDTH = 5, 5
LAYOUT_COMPONENTS, LAYOUT_CHARS = 40, 4000
CUSTOM_ID_CHARS, BUTTON_CHARS, URL_CHARS = 100, 80, 512
OPTIONS, OPTION_CHARS, SELECT_PLACEHOLDER_CHARS = 25, 100, 150
MODAL_TITLE_CHARS, MODAL_COMPONENTS = 45, 5
INPUT_CHARS, LABEL_CHARS, DESCRIPTION_CHARS, INPUT_PLACEHOLDER_CHARS = 4000, 45, 100, 100
GROUP_OPTIONS = 10


def walk(components: object) -> Iterator[Payload]:
    """Yield components and everything inside them, in the order they are shown."""
    for each in cast("list[Payload]", components or []):
        yield each
        yield from walk(each.get("components"))
        yield from walk([one for key in ("component", "accessory") if (one := each.get(key))])


def numbered(components: list[Payload]) -> list[Payload]:
    """Return components with an `id` each, which Discord adds where there is none."""
    used = {each["id"] for each in walk(components) if each.get("id")}
    free = (number for number in range(1, 1 << 20) if number not in used)

    def with_id(component: Payload) -> Payload:
        filled = {**component, "id": component.get("id") or next(free)}
        for key, value in component.items():
            if key == "components":
                filled[key] = [with_id(each) for each in value]
            elif key in ("component", "accessory"):
                filled[key] = with_id(value)
        return filled

    return [with_id(each) for each in components]


def check_rows(part: Part, value: object) -> list[Payload]:
    """Check the components of a plain message: up to five rows."""
    rows = part.items(value, most=ROWS)
    for index, row in enumerate(rows):
        if part.at(index, "type").one_of(row.get("type"), {ComponentType.ROW}):
            _check_row(part.at(index), row)
    _check_ids(part, rows)
    return rows


def check_layout(part: Part, value: object) -> list[Payload]:
    """Check the components of a message that consists of nothing else (`IS_COMPONENTS_V2`)."""
    top = part.items(value, most=LAYOUT_COMPONENTS)
    for index, component in enumerate(top):
        _check_block(part.at(index), component, _TOP_OF_LAYOUT)
    everything = list(walk(top))
    if len(everything) > LAYOUT_COMPONENTS:
        part.wrong("BASE_TYPE_MAX_LENGTH", f"Must be {LAYOUT_COMPONENTS} or fewer in length.")
    if sum(size(str(each.get("content", ""))) for each in everything) > LAYOUT_CHARS:
        words = f"The total text length must not exceed {LAYOUT_CHARS} characters"
        part.wrong("COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", words)
    _check_ids(part, top)
    return top


def check_modal(part: Part, modal: Payload) -> Payload:
    """Check a modal and return it with numbered components."""
    part.at("custom_id").text(modal.get("custom_id"), least=1, most=CUSTOM_ID_CHARS)
    part.at("title").text(modal.get("title"), least=1, most=MODAL_TITLE_CHARS)
    here = part.at("components")
    top = here.items(modal.get("components"), least=1, most=MODAL_COMPONENTS)
    for index, component in enumerate(top):
        _check_modal_block(here.at(index), component)
    _check_ids(here, top)
    return {**modal, "components": top}


def _check_block(part: Part, component: Payload, allowed: Collection[int]) -> None:
    kind = component.get("type")
    if not part.at("type").one_of(kind, allowed):
        return
    match kind:
        case ComponentType.ROW:
            _check_row(part, component)
        case ComponentType.SECTION:
            _check_section(part, component)
        case ComponentType.TEXT_DISPLAY:
            part.at("content").text(component.get("content"), least=1, most=LAYOUT_CHARS)
        case ComponentType.CONTAINER:
            here = part.at("components")
            inside = here.items(component.get("components"), least=1, most=LAYOUT_COMPONENTS)
            for index, each in enumerate(inside):
                _check_block(here.at(index), each, _IN_CONTAINER)
        case _:
            pass


def _check_section(part: Part, section: Payload) -> None:
    here = part.at("components")
    for index, text in enumerate(here.items(section.get("components"), least=1, most=3)):
        _check_block(here.at(index), text, {ComponentType.TEXT_DISPLAY})
    accessory = part.at("accessory").model(section.get("accessory"))
    if part.at("accessory", "type").one_of(accessory.get("type"), {ComponentType.BUTTON}):
        _check_button(part.at("accessory"), accessory)


def _check_row(part: Part, row: Payload, allowed: Collection[int] = _IN_ROW) -> None:
    here = part.at("components")
    inside = here.items(row.get("components"), least=1, most=ROW_WIDTH)
    is_wide = [each.get("type") != ComponentType.BUTTON for each in inside]
    if len(inside) > 1 and any(is_wide):
        words = "The specified component exceeds the maximum width"
        here.at(is_wide.index(True)).wrong("COMPONENT_LAYOUT_WIDTH_EXCEEDED", words)
    for index, each in enumerate(inside):
        if here.at(index, "type").one_of(each.get("type"), allowed):
            _check_control(here.at(index), each)


def _check_control(part: Part, control: Payload) -> None:
    match control["type"]:
        case ComponentType.BUTTON:
            _check_button(part, control)
        case ComponentType.TEXT_INPUT:
            _check_input(part, control)
        case ComponentType.RADIO_GROUP | ComponentType.CHECKBOX_GROUP as kind:
            least = 2 if kind == ComponentType.RADIO_GROUP else 1
            _check_custom_id(part, control)
            _check_options(part, control, least=least, most=GROUP_OPTIONS)
        case ComponentType.CHECKBOX:
            _check_custom_id(part, control)
        case _:
            _check_select(part, control)


def _check_button(part: Part, button: Payload) -> None:
    if not part.at("style").one_of(button.get("style"), _BUTTON_STYLES):
        return
    label = part.at("label").text(button.get("label"), most=BUTTON_CHARS)
    if not label and not button.get("emoji"):
        part.wrong("BUTTON_COMPONENT_MISSING_LABEL", "A button must have a label or an emoji")
    if button["style"] != LINK_STYLE:
        _check_custom_id(part, button)
        return
    if "custom_id" in button:
        words = "A custom id and url cannot both be specified"
        part.at("custom_id").wrong("BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", words)
    url = part.at("url").text(button.get("url"), least=1, most=URL_CHARS)
    if url and not url.startswith(("http://", "https://", "discord://")):
        words = f'Scheme "{url.partition(":")[0]}" is not supported.'
        part.at("url").wrong("URL_TYPE_INVALID_SCHEME", words)


def _check_select(part: Part, select: Payload) -> None:
    _check_custom_id(part, select)
    here = part.at("placeholder")
    here.text(select.get("placeholder"), most=SELECT_PLACEHOLDER_CHARS)
    most = part.at("max_values").number(select.get("max_values"), least=1, most=OPTIONS, default=1)
    least = part.at("min_values").number(select.get("min_values"), least=0, most=OPTIONS, default=1)
    if least > most:
        words = f"int value should be less than or equal to {most}."
        part.at("min_values").wrong("NUMBER_TYPE_MAX", words)
    if select["type"] == ComponentType.STRING_SELECT:
        count = _check_options(part, select, least=1, most=OPTIONS)
        if most > count > 0:
            words = f"int value should be less than or equal to {count}."
            part.at("max_values").wrong("NUMBER_TYPE_MAX", words)


def _check_options(part: Part, control: Payload, *, least: int, most: int) -> int:
    here = part.at("options")
    options = here.items(control.get("options"), least=least, most=most)
    seen: set[str] = set()
    for index, option in enumerate(options):
        at = here.at(index)
        at.at("label").text(option.get("label"), least=1, most=OPTION_CHARS)
        at.at("description").text(option.get("description"), most=OPTION_CHARS)
        value = at.at("value").text(option.get("value"), least=1, most=OPTION_CHARS)
        if value in seen:
            words = "The specified option value is already used"
            at.at("value").wrong("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", words)
        seen.add(value)
    return len(options)


def _check_modal_block(part: Part, component: Payload) -> None:
    kind = component.get("type")
    if not part.at("type").one_of(kind, _IN_MODAL):
        return
    match kind:
        case ComponentType.ROW:
            _check_row(part, component, {ComponentType.TEXT_INPUT})
            for index, control in enumerate(component.get("components") or []):
                here = part.at("components", index, "label")
                here.text(control.get("label"), least=1, most=LABEL_CHARS)
        case ComponentType.LABEL:
            part.at("label").text(component.get("label"), least=1, most=LABEL_CHARS)
            words = component.get("description")
            part.at("description").text(words, most=DESCRIPTION_CHARS)
            here = part.at("component")
            control = here.model(component.get("component"))
            if here.at("type").one_of(control.get("type"), _IN_LABEL):
                _check_control(here, control)
        case _:
            part.at("content").text(component.get("content"), least=1, most=LAYOUT_CHARS)


def _check_input(part: Part, control: Payload) -> None:
    _check_custom_id(part, control)
    part.at("style").one_of(control.get("style"), (1, 2))
    words = control.get("placeholder")
    part.at("placeholder").text(words, most=INPUT_PLACEHOLDER_CHARS)
    most = part.at("max_length").number(
        control.get("max_length"), least=1, most=INPUT_CHARS, default=INPUT_CHARS
    )
    least = part.at("min_length").number(
        control.get("min_length"), least=0, most=INPUT_CHARS, default=0
    )
    if least > most:
        part.at("min_length").wrong("NUMBER_TYPE_MAX", f"int value should be at most {most}.")
    part.at("value").text(control.get("value"), most=most)


def _check_custom_id(part: Part, control: Payload) -> None:
    part.at("custom_id").text(control.get("custom_id"), least=1, most=CUSTOM_ID_CHARS)


def _check_ids(part: Part, components: list[Payload]) -> None:
    """Check that no two controls of one message or modal share a custom id."""
    seen: set[Any] = set()
    for each in walk(components):
        if (custom_id := each.get("custom_id")) is None:
            continue
        if custom_id in seen:
            words = "Component custom id cannot be duplicated"
            part.wrong("COMPONENT_CUSTOM_ID_DUPLICATED", words)
            return
        seen.add(custom_id)
