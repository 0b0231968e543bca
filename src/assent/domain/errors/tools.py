"""Tools that are declared wrongly, and what is given to or comes out of them."""

from collections.abc import Mapping, Sequence

from assent.domain.errors.root import AssentError, Conflict


class InvalidTool(AssentError):
    """A tool, or a form it declares, contradicts itself; `tool` names what is being declared."""

    code = "invalid_tool"

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool!r} is declared wrongly: {reason}")
        self.tool = tool
        self.reason = reason


class InvalidArguments(AssentError):
    """Arguments are no JSON or do not fit the tool's schema."""

    code = "invalid_arguments"

    def __init__(self, tool: str, problems: Sequence[str]) -> None:
        self.tool, self.problems = tool, tuple(problems)
        super().__init__(f"Arguments for {tool!r} are not valid: {'; '.join(problems)}")


class InvalidOutput(AssentError):
    """An output does not fit what the tool declared, or cannot be stored."""

    code = "invalid_output"

    def __init__(self, tool: str, reason: str) -> None:
        self.tool, self.reason = tool, reason
        super().__init__(f"Output of {tool!r} is not valid: {reason}")


class InvalidAnswer(AssentError):
    """Submitted values break the rules of their form; `errors` maps each field to its message."""

    code = "invalid_answer"

    def __init__(self, errors: Mapping[str, str]) -> None:
        found = "; ".join(f"{n!r}: {message.rstrip('.')}" for n, message in errors.items())
        super().__init__(f"The answer is not acceptable: {found}")
        self.errors = dict(errors)


class WrongTool(Conflict):
    """A task belongs to another tool than the one that settles it."""

    code = "wrong_tool"

    def __init__(self, task_id: str, tool: str) -> None:
        self.task_id, self.tool = task_id, tool
        super().__init__(f"Task {task_id!r} is not one of tool {tool!r}")
