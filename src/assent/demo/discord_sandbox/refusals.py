"""Refusals in Discord's words: a status, a code, a message and, for forms, paths of errors."""

from collections.abc import Mapping
from typing import Any

Payload = dict[str, Any]


class Refusal(Exception):
    """Discord refuses a request; `code` is the one that programs compare."""

    def __init__(
        self, status: int, code: int, message: str, errors: Mapping[str, Any] | None = None
    ) -> None:
        self.status, self.code, self.message, self.errors = status, code, message, errors
        super().__init__(f"{status} {code}: {message}")

    def json(self) -> Payload:
        """Return the body of the response."""
        body: Payload = {"message": self.message, "code": self.code}
        return body if self.errors is None else {**body, "errors": self.errors}


def unauthorized() -> Refusal:
    """The token is missing, wrong or revoked."""
    return Refusal(401, 0, "401: Unauthorized")


def not_found() -> Refusal:
    """There is no such route."""
    return Refusal(404, 0, "404: Not Found")


def unknown_channel() -> Refusal:
    """The channel or thread does not exist (any more)."""
    return Refusal(404, 10003, "Unknown Channel")


def unknown_guild() -> Refusal:
    """The bot is in no such guild."""
    return Refusal(404, 10004, "Unknown Guild")


def unknown_member() -> Refusal:
    """The guild has no such member."""
    return Refusal(404, 10007, "Unknown Member")


def unknown_message() -> Refusal:
    """The message does not exist (any more), or the bot may not see it."""
    return Refusal(404, 10008, "Unknown Message")


def unknown_user() -> Refusal:
    """There is no such user."""
    return Refusal(404, 10013, "Unknown User")


def unknown_webhook() -> Refusal:
    """The interaction was not answered yet, or the token belongs to none."""
    return Refusal(404, 10015, "Unknown Webhook")


def unknown_interaction() -> Refusal:
    """The interaction does not exist, or was not answered in time."""
    return Refusal(404, 10062, "Unknown interaction")


def already_acknowledged() -> Refusal:
    """The interaction was answered before."""
    return Refusal(400, 40060, "Interaction has already been acknowledged.")


def missing_access() -> Refusal:
    """The bot may not see the channel."""
    return Refusal(403, 50001, "Missing Access")


def not_the_author() -> Refusal:
    """Bots edit only their own messages."""
    return Refusal(403, 50005, "Cannot edit a message authored by another user")


def empty_message() -> Refusal:
    """A message needs a text, an embed or a component."""
    return Refusal(400, 50006, "Cannot send an empty message")


def cannot_message_user() -> Refusal:
    """The user takes no direct messages from the bot."""
    return Refusal(403, 50007, "Cannot send messages to this user")


def missing_permissions() -> Refusal:
    """The bot lacks a permission for this action."""
    return Refusal(403, 50013, "Missing Permissions")


def invalid_webhook_token() -> Refusal:
    """The token of the interaction is older than 15 minutes."""
    return Refusal(401, 50027, "Invalid Webhook Token")


def invalid_form_body(errors: Mapping[str, Any]) -> Refusal:
    """Values break Discord's limits; `errors` says which."""
    return Refusal(400, 50035, "Invalid Form Body", errors)


def thread_archived() -> Refusal:
    """Nothing can be changed in an archived thread."""
    return Refusal(400, 50083, "Thread is archived")


def thread_exists() -> Refusal:
    """A message starts at most one thread."""
    return Refusal(400, 160004, "A thread has already been created for this message")


def thread_locked() -> Refusal:
    """Only moderators write in a locked thread."""
    return Refusal(403, 160005, "Thread is locked")
