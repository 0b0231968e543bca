"""Why a run cannot start, or ends without an answer."""

from collections.abc import Sequence

from assent.domain.errors.root import AssentError


class ApprovalUnavailable(AssentError):
    """Gated calls in a run that has nobody to ask."""

    code = "approval_unavailable"

    def __init__(self, tools: Sequence[str]) -> None:
        self.tools = tuple(tools)
        super().__init__(
            f"Nobody can be asked about {', '.join(map(repr, tools))}: give the run a database "
            "or an on_confirmation callback, or choose approvals='off' on purpose"
        )


class Paused(AssentError):
    """A run that had to answer at once paused instead; `requests` are what it waits for."""

    code = "paused"

    def __init__(self, agent: str, requests: Sequence[str], tools: Sequence[str]) -> None:
        self.agent, self.requests, self.tools = agent, tuple(requests), tuple(tools)
        super().__init__(
            f"Agent {agent!r} paused for people on {', '.join(map(repr, tools))} "
            f"(requests {', '.join(map(repr, requests))}) and has no answer"
        )


class TurnFailed(AssentError):
    """A run that had to answer at once ended without an answer; `error` says what went wrong."""

    code = "turn_failed"

    def __init__(self, agent: str, status: str, error: str | None) -> None:
        self.agent, self.status, self.error = agent, status, error
        super().__init__(f"Agent {agent!r} gave no answer, its turn is {status}: {error}")


class ModelFailed(AssentError):
    """The model gave no usable answer; `transient` says whether asking again may help."""

    code = "model_failed"

    def __init__(self, reason: str, *, transient: bool = False) -> None:
        self.reason, self.transient = reason, transient
        super().__init__(f"The model gave no usable answer: {reason}")


class ModelNotConfigured(AssentError):
    """A chat model cannot be built: unknown provider, missing package or missing key."""

    code = "model_not_configured"

    def __init__(self, spec: str, reason: str) -> None:
        self.spec, self.reason = spec, reason
        super().__init__(f"Model {spec!r} cannot be used: {reason}")


class OverQuota(AssentError):
    """More of something than this deployment allows; nothing was started, nothing will run."""

    code = "over_quota"

    def __init__(self, what: str, limit: int, *, retry_after: int | None = None) -> None:
        self.what, self.limit, self.retry_after = what, limit, retry_after
        super().__init__(f"There can be no more than {limit:,} {what}; nothing was started")
