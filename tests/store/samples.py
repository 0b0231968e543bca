"""Rows with something in every column, to be varied with `replace`."""

from datetime import UTC, datetime, timedelta

from assent.domain.calls import Author, Call, Frozen, Revision
from assent.domain.confirmations import Confirmation
from assent.domain.conversations import Conversation, Message, Role, TurnRow
from assent.domain.decisions import Decision, VerdictName
from assent.domain.events import Entry
from assent.domain.forms import SavedValue, SealedSecret
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus, TurnStatus
from assent.domain.people import Audience, Person, PersonKind
from assent.domain.requests import Question, Request
from assent.domain.tools import Preview
from assent.ports import Tx

# Where the tests' virtual clock starts.
NOON = datetime(2030, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=30)
# Text that a careless encoding, quoting or column would not give back.
AWKWARD = "naïve ☃ \U0001f6f0 'quoted' \"twice\" \\ % :name $1 ?\n\ttab"

CONVERSATION = Conversation(
    id="conv_1",
    agent="agent",
    owner=Person("ada", roles=frozenset({"ops", "staff"}), kind=PersonKind.SERVICE, behind="byron"),
    created_at=NOON,
)
TURN = TurnRow(
    id="turn_1",
    conversation_id="conv_1",
    number=1,
    agent="agent",
    status=TurnStatus.RUNNING,
    step=3,
    fence=7,
    worker="worker_1",
    lease_until=NOON + LEASE,
    guarded=True,
    error=AWKWARD,
    created_at=NOON,
    ended_at=NOON + timedelta(microseconds=1),
)
MESSAGE = Message(
    id="msg_1",
    conversation_id="conv_1",
    turn_id="turn_1",
    position=1,
    role=Role.ASSISTANT,
    text=AWKWARD,
    body='{"a":1}',
    open_calls=2,
    incomplete=True,
    created_at=NOON,
)
CALL = Call(
    id="call_1",
    conversation_id="conv_1",
    turn_id="turn_1",
    message_id="msg_1",
    position=1,
    provider_id="toolu_1",
    agent="agent",
    tool="delete_file",
    source="local",
    risk="dangerous",
    definition_hash="d" * 64,
    status=CallStatus.CLEARED,
    revision=2,
    arguments=Frozen.of({"path": AWKWARD}),
    proposed='{"path":"b"}',
    created_at=NOON,
    cleared_by="person:ada",
    approved=True,
    policy_version="p1",
    turn_number=4,
    step=5,
    run_by=NOON + timedelta(minutes=15),
    fence=3,
    attempts=2,
    worker="worker_1",
    lease_until=NOON + LEASE,
    task_id="task_1",
    metadata='{"m":1}',
    supplied='"s"',
    output='"o"',
    settled_at=NOON + timedelta(days=1),
    note=AWKWARD,
)
REVISION = Revision(
    call_id="call_1",
    revision=2,
    arguments=CALL.arguments,
    author=Author.EDIT,
    by="ada",
    at=NOON,
)
REQUEST = Request(
    id="req_1",
    kind=RequestKind.APPROVAL,
    status=RequestStatus.OPEN,
    call_id="call_1",
    conversation_id="conv_1",
    turn_id="turn_1",
    revision=2,
    owner="ada",
    agent="agent",
    tool="delete_file",
    risk="dangerous",
    audience=Audience.of("ops", "staff", exclude_requester=True),
    quorum=2,
    digest="b" * 64,
    policy_version="p1",
    question=Question(
        reason=AWKWARD,
        text="Delete it?",
        preview=Preview(text="t", before="b", after="a", failed=True),
        metadata={"m": [1, None, {"k": 1.5}]},
        form={"fields": []},
        prefilled={"x": True},
    ),
    created_at=NOON,
    decide_by=NOON + timedelta(hours=24),
    draft="sealed draft",
    closed_at=NOON + timedelta(hours=1),
    closed_by="grace",
    owner_behind="byron",
    confirmation=Confirmation.TYPED,
)
DECISION = Decision(
    id="dec_1",
    request_id="req_1",
    person="ada",
    channel="web",
    verdict=VerdictName.APPROVE,
    fingerprint="f" * 64,
    reason=AWKWARD,
    arguments='{"a":1}',
    digest="b" * 64,
    idempotency_key="key",
    shown="html/1:" + "c" * 64,
    at=NOON,
)
ENTRY = Entry(
    id="aud_1",
    action="approve",
    actor="ada",
    channel="web",
    conversation_id="conv_1",
    call_id="call_1",
    request_id="req_1",
    source="awaiting_approval",
    target="cleared",
    data={"note": AWKWARD, "list": [1, None]},
    at=NOON,
)
SAVED = SavedValue(
    conversation_id="conv_1",
    scope="mail",
    name="sender",
    value={"deep": [1, None, AWKWARD]},
    secret=False,
    at=NOON,
)
SEALED = SealedSecret(
    id="sec_1",
    conversation_id="conv_1",
    call_id="call_1",
    field="password",
    sealed="v1.sealed",
    at=NOON,
)


def add_turn(tx: Tx, turn: TurnRow = TURN, *, key: str | None = None) -> None:
    """A turn of `ada`, leased from now on."""
    tx.turns.add(turn, owner="ada", key=key, body="body", lease=LEASE)


def add_call(tx: Tx, call: Call = CALL) -> None:
    """A call with everything it refers to."""
    tx.conversations.add(CONVERSATION)
    add_turn(tx)
    tx.messages.append(MESSAGE)
    tx.calls.add([call])


def add_request(tx: Tx, request: Request = REQUEST) -> None:
    """A request with everything it refers to."""
    add_call(tx)
    tx.requests.add([request])
