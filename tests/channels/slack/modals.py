"""Methods of the Web API about modals, and what an app's answer does to the one it answers."""

import json
from typing import Any

from tests.channels.slack.api import Answer, Api, ApiRefusal, Arguments
from tests.channels.slack.blocks import VIEW_BYTES, view_complaints
from tests.channels.slack.chat import named_blocks
from tests.channels.slack.payloads import view_json
from tests.channels.slack.tickets import Trigger
from tests.channels.slack.workspace import View

STACK = 3


def views_open(api: Api, args: Arguments) -> Answer:
    view = checked_view(api, args.json("view"))
    trigger = _trigger(api, args)
    api.workspace.views.pop(trigger.user, None)
    return {"view": view_json(api.workspace.open_view(trigger.user, view))}


def views_push(api: Api, args: Arguments) -> Answer:
    view = checked_view(api, args.json("view"))
    trigger = _trigger(api, args)
    if trigger.view is None or api.workspace.view(lambda each: each.id == trigger.view) is None:
        raise ApiRefusal("not_found")
    return {"view": view_json(_push(api, trigger.user, view))}


def views_update(api: Api, args: Arguments) -> Answer:
    name, wanted = ("id", "view_id") if args.has("view_id") else ("external_id", "external_id")
    id = args.text(wanted)
    view = api.workspace.view(lambda each: view_json(each)[name] == id)
    if view is None:
        raise ApiRefusal("not_found")
    if args.has("hash") and args.text("hash") != view.hash:
        raise ApiRefusal("hash_conflict")
    api.workspace.replace_view(view, checked_view(api, args.json("view"), replaced=view.id))
    return {"view": view_json(view)}


def checked_view(api: Api, view: Any, *, replaced: str = "") -> dict[str, Any]:
    """The modal as Slack keeps it; refuses a wrong one."""
    if complaints := view_complaints(view):
        raise ApiRefusal("invalid_arguments", complaints)
    if len(json.dumps(view)) > VIEW_BYTES:
        raise ApiRefusal("view_too_large")
    external = view.get("external_id")
    open_ones = (each for stack in api.workspace.views.values() for each in stack)
    taken = {each.payload.get("external_id") for each in open_ones if each.id != replaced}
    if external and external in taken:
        raise ApiRefusal("duplicate_external_id")
    return {**view, "blocks": named_blocks(api, view["blocks"])}


def answer_submission(api: Api, view: View, answer: dict[str, Any]) -> None:
    """Do to a submitted modal what the app's acknowledgement says; without a word it closes."""
    workspace = api.workspace
    match answer.get("response_action"):
        case None:
            close(api, view)
        case "clear":
            workspace.views.pop(view.user, None)
        case "errors":
            inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
            if not set(answer["errors"]) <= inputs or not answer["errors"]:
                raise ApiRefusal("invalid_arguments", ["errors must name input blocks"])
            view.errors = dict(answer["errors"])
        case "update":
            workspace.replace_view(view, checked_view(api, answer["view"], replaced=view.id))
        case "push":
            _push(api, view.user, checked_view(api, answer["view"]))
        case other:
            raise ApiRefusal("invalid_arguments", [f"unknown response_action: {other}"])
    workspace.changes.note()


def close(api: Api, view: View) -> None:
    """Take a modal off the screen; the one below it shows again."""
    stack = api.workspace.views.get(view.user, [])
    if view in stack:
        stack.remove(view)
    api.workspace.changes.note()


def _push(api: Api, user: str, payload: dict[str, Any]) -> View:
    if len(api.workspace.views.get(user, [])) >= STACK:
        raise ApiRefusal("push_limit_reached")
    return api.workspace.open_view(user, payload)


def _trigger(api: Api, args: Arguments) -> Trigger:
    trigger = api.tickets.redeem(args.text("trigger_id"))
    if isinstance(trigger, str):
        raise ApiRefusal(trigger)
    return trigger
