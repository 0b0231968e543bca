"""Requests for tests that draw posts without an engine."""

from typing import cast

from assent.domain.calls import Call
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.people import Audience
from assent.domain.requests import Question, Request
from tests.presentation.samples import NOW

# Posts read nothing of the call itself.
NO_CALL = cast("Call", None)


def request_of(id: str, status: RequestStatus = RequestStatus.OPEN) -> Request:
    return Request(
        id=id,
        kind=RequestKind.APPROVAL,
        status=status,
        call_id="call_1",
        conversation_id="conv_1",
        turn_id="turn_1",
        revision=1,
        owner="ada",
        agent="mailer",
        tool="send_mail",
        risk="dangerous",
        audience=Audience(),
        quorum=1,
        digest="d" * 64,
        policy_version="1",
        question=Question(),
        created_at=NOW,
        closed_at=None if status is RequestStatus.OPEN else NOW,
    )
