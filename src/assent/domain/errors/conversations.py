"""Why a message, or the answer to a paused run, is not taken."""

from collections.abc import Mapping, Sequence

from assent.domain.errors.root import AssentError, Conflict


class PendingCalls(Conflict):
    """A new message came while calls wait for people: `calls` are their ids."""

    code = "pending_calls"

    def __init__(self, conversation_id: str, calls: Mapping[str, str]) -> None:
        self.conversation_id, self.calls = conversation_id, tuple(calls)
        waiting = ", ".join(f"{tool} ({id!r})" for id, tool in calls.items())
        super().__init__(
            f"Conversation {conversation_id!r} waits for {waiting or 'a turn in progress'}: decide "
            "first, or send with on_pending='supersede' to cancel what waits"
        )


class NothingAwaited(Conflict):
    """The call or turn awaits nothing of the kind."""

    code = "nothing_awaited"

    def __init__(self, noun: str, id: str, status: str) -> None:
        self.noun, self.id, self.status = noun, id, status
        super().__init__(f"{noun} {id!r} is {status} and awaits no such thing")


class MessageChanged(Conflict):
    """A message came again under its id, with another text."""

    code = "message_changed"

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        super().__init__(
            f"Message {message_id!r} was sent before with another text; what was said stays on "
            "record, so send the new text as a message of its own"
        )


class NothingToRegenerate(Conflict):
    """An answer was to be made anew that is on record, with calls that may have run."""

    code = "nothing_to_regenerate"

    def __init__(self, conversation_id: str, status: str) -> None:
        self.conversation_id, self.status = conversation_id, status
        super().__init__(
            f"The answer in conversation {conversation_id!r} is {status} and stays on record; only "
            "one that failed is tried again. Ask again in a message of its own"
        )


class EmptyMessage(AssentError):
    """A message in which nothing can be read; kept, it would spoil every later one with it."""

    code = "empty_message"

    def __init__(self) -> None:
        super().__init__("A message has at least one visible character")


class UnsupportedContent(AssentError):
    """A message has parts that no agent here is given."""

    code = "unsupported_content"

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        super().__init__(
            f"A message is text; it has parts of another kind: {', '.join(map(repr, kinds))}"
        )


class AgentNotNamed(AssentError):
    """A message for one of several agents that does not say which."""

    code = "agent_not_named"

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        super().__init__(
            f"Say whom the message is for: 'agent' is one of {', '.join(map(repr, agents))}"
        )


class InvalidResume(AssentError):
    """An answer to a paused run that cannot be taken; nothing was decided by it."""

    code = "invalid_resume"

    def __init__(self, interrupt: str, reason: str) -> None:
        self.interrupt, self.reason = interrupt, reason
        super().__init__(f"The answer to interrupt {interrupt!r} is not acceptable: {reason}")


class ResumeIncomplete(Conflict):
    """A paused run was answered in part; `missing` are the interrupts left out."""

    code = "resume_incomplete"

    def __init__(self, missing: Sequence[str]) -> None:
        self.missing = tuple(missing)
        super().__init__(
            f"Answer every open interrupt at once: {', '.join(map(repr, missing))} are left out"
        )
