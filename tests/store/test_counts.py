"""What waits for somebody is counted as it is listed."""

from itertools import product

from msgspec.structs import replace

from assent.domain.deliveries import Delivery, DeliveryCounts, DeliveryStatus
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.paging import RequestFilter
from assent.domain.people import Audience, Person, PersonKind
from assent.domain.requests import Request
from assent.engine.queries.listing import Inbox
from assent.ports import Store, Tx
from tests.store.samples import CALL, NOON, REQUEST, add_call

OPS = frozenset({"ops"})
# A name that looks like what an audience is stored as.
FORGED = 'x","owner":true,"exclude_requester":true,"'
PEOPLE = (
    Person("ada"),
    Person("ada", roles=OPS),
    Person("bob", roles=OPS),
    Person("bob", roles=frozenset({"ops", "staff"})),
    Person("ada.second", roles=OPS, behind="ada"),
    Person("robot", roles=OPS, kind=PersonKind.SERVICE),
    Person("robot", roles=OPS, kind=PersonKind.AGENT),
    Person(FORGED),
    Person("stranger"),
)
AUDIENCES = (
    Audience(),
    Audience(exclude_requester=True, roles=OPS),
    Audience.of("ops"),
    Audience.of("ops", "staff", exclude_requester=True),
    Audience(owner=False, people=frozenset({"bob", FORGED})),
    Audience(people=frozenset({"ada"}), roles=OPS),
    Audience.of("ops") & Audience.of("staff"),
    Audience(roles=OPS) & Audience(people=frozenset({"bob", FORGED})),
)
OWNERS = (("ada", None), ("robot", "ada"), ("ada.second", "ada"), ("bob", None), (FORGED, None))


def every_request() -> list[Request]:
    """Every audience with every owner, an approval and an input, open and closed."""
    kinds = (RequestKind.APPROVAL, RequestKind.INPUT)
    statuses = (RequestStatus.OPEN, RequestStatus.REJECTED)
    return [
        replace(
            REQUEST,
            id=f"req_{n}",
            call_id=f"call_r{n}",
            audience=audience,
            owner=owner,
            owner_behind=behind,
            kind=kind,
            status=status,
            closed_at=None if status is RequestStatus.OPEN else NOON,
        )
        for n, (audience, (owner, behind), kind, status) in enumerate(
            product(AUDIENCES, OWNERS, kinds, statuses)
        )
    ]


def fill(tx: Tx) -> None:
    """A database that holds all of them."""
    requests = every_request()
    calls = [
        replace(CALL, id=each.call_id, position=n, task_id=None)
        for n, each in enumerate(requests, 2)
    ]
    add_call(tx)
    tx.calls.add(calls)
    tx.requests.add(requests)


async def test_what_waits_for_somebody_is_counted_as_it_is_listed(store: Store) -> None:
    await store.run(fill)
    counted: list[int] = []
    for person in PEOPLE:
        box = Inbox(person=person, wanted=RequestFilter(), mine=True)
        listed = await store.run(lambda tx, box=box: box.page(tx, after=None, limit=500).items)
        number = await store.run(lambda tx, person=person: tx.counts.open_for(person, limit=500))
        assert number == len(listed), person
        counted.append(number)
    assert len(set(counted)) > 4
    assert counted[-1] == 0


async def test_counting_stops_at_its_limit(store: Store) -> None:
    await store.run(fill)
    person = Person("bob", roles=OPS)
    assert await store.run(lambda tx: tx.counts.open_for(person, limit=5)) == 5


async def test_deliveries_are_counted_by_channel_and_status_up_to_the_limit(store: Store) -> None:
    statuses = {DeliveryStatus.DUE: 1, DeliveryStatus.TOLD: 4, DeliveryStatus.DEAD: 2}
    made = [
        Delivery(
            request_id=REQUEST.id,
            channel="slack",
            address=f"{status} {number}",
            turn_id=REQUEST.turn_id,
            status=status,
            due_at=NOON,
            created_at=NOON,
        )
        for status, amount in statuses.items()
        for number in range(amount)
    ]

    def fill(tx: Tx) -> None:
        add_call(tx, CALL)
        tx.requests.add([REQUEST])
        tx.deliveries.add(made)

    await store.run(fill)
    counted = await store.run(
        lambda tx: [
            tx.counts.deliveries(channel, limit=limit)
            for channel, limit in (("slack", 100), ("slack", 3), ("discord", 100))
        ]
    )
    assert counted == [
        DeliveryCounts(due=1, told=4, dead=2),
        DeliveryCounts(due=1, told=3, dead=2),
        DeliveryCounts(due=0, told=0, dead=0),
    ]
