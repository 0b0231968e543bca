"""All reads of the server and the terminal, grouped by what they read."""

from assent.engine.kernel import Kernel
from assent.engine.queries.conversations import ConversationQueries
from assent.engine.queries.record import RecordQueries
from assent.engine.queries.requests import RequestQueries


class Queries:
    """Reads rows for people; changes nothing, and calls no model."""

    def __init__(self, kernel: Kernel) -> None:
        self.conversations = ConversationQueries(kernel)
        self.requests = RequestQueries(kernel)
        self.record = RecordQueries(kernel)
