"""All reads of the server and the terminal, grouped by what they read."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assent.engine.kernel import Kernel
    from assent.engine.queries.conversations import ConversationQueries
    from assent.engine.queries.options import OptionQueries
    from assent.engine.queries.record import RecordQueries
    from assent.engine.queries.requests import RequestQueries


class Queries:
    """Reads rows for people; changes nothing, and calls no model."""

    def __init__(self, kernel: "Kernel") -> None:
        self._kernel = kernel

    # Imported when first used: `import assent` takes long enough without them.
    @cached_property
    def conversations(self) -> "ConversationQueries":
        """Conversations, their messages and turns."""
        from assent.engine.queries.conversations import ConversationQueries

        return ConversationQueries(self._kernel)

    @cached_property
    def requests(self) -> "RequestQueries":
        """Requests, the calls they are about, and the inbox."""
        from assent.engine.queries.requests import RequestQueries

        return RequestQueries(self._kernel)

    @cached_property
    def options(self) -> "OptionQueries":
        """Options that the search of a tool finds for a field."""
        from assent.engine.queries.options import OptionQueries

        return OptionQueries(self._kernel)

    @cached_property
    def record(self) -> "RecordQueries":
        """The audit, past calls, figures and settings."""
        from assent.engine.queries.record import RecordQueries

        return RecordQueries(self._kernel)
