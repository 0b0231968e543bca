"""Posts: due deliveries gathered to messages, and the cards that are drawn for them."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass

from assent.domain.canonical import digest
from assent.domain.deliveries import (
    UNROUTED,
    ChannelTerms,
    Delivery,
    DeliveryKey,
    DeliveryStatus,
    Post,
    PostItem,
)
from assent.engine.agents import Catalogue
from assent.engine.deliveries.routing import deliveries_of, is_wanted, routes_of
from assent.engine.ids import Ids
from assent.engine.queries.review import Showing, read_showing
from assent.ports import Tx

# Deliveries read at once; those of a group beyond the limit go into the next message.
READ_AT_ONCE = 100
LISTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PostDraft:
    """A message to send or update: its rows as they were read, and how to draw their cards."""

    key: str
    rows: tuple[Delivery, ...]
    draws: tuple[Callable[[], Showing], ...]
    # False if there was an attempt at this very message before.
    is_new: bool
    is_repeated: bool

    @property
    def message(self) -> str | None:
        """The platform's reference, if the message was sent before."""
        return next((row.message for row in self.rows if row.message is not None), None)

    @property
    def attempts(self) -> int:
        """The number of attempts, with this one."""
        return max(row.attempts for row in self.rows)

    def drawn(self, link: Callable[[str], str]) -> Post:
        """Return the post, its cards drawn: large ones take long, so call it in a thread."""
        first = self.rows[0]
        return Post(
            key=self.key,
            channel=first.channel,
            address=first.address,
            items=tuple(_item(draw(), link) for draw in self.draws),
            version=sum(row.wanted for row in self.rows),
            recipient=first.recipient,
            # Alone it is shown in full.
            is_digest=first.digest and len(self.rows) > 1,
            is_repeated=self.is_repeated,
        )


def _item(showing: Showing, link: Callable[[str], str]) -> PostItem:
    return PostItem(
        request=showing.request,
        call=showing.call,
        tool=showing.tool,
        card=showing.card,
        url=link(showing.request.id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Gathers what is due for one channel; everything happens in the caller's transaction."""

    channel: str
    terms: ChannelTerms
    catalogue: Catalogue
    ids: Ids

    def take(self, tx: Tx, limit: int, *, besides: Set[DeliveryKey]) -> list[PostDraft]:
        """Route what is new, and return messages to send, each of them once."""
        count = READ_AT_ONCE + len(besides)
        due = tx.deliveries.due(self.channel, count)
        if unrouted := [row for row in due if row.address == UNROUTED]:
            for row in unrouted:
                self._route(tx, row)
            due = tx.deliveries.due(self.channel, count)
        drafts, drawn = list[PostDraft](), set(besides)
        for row in due:
            if len(drafts) == limit:
                break
            if row.address == UNROUTED or row.key in drawn:
                continue
            draft = self._draft(tx, row)
            if draft is not None:
                drafts.append(draft)
                drawn |= {each.key for each in draft.rows}
        return drafts

    def _route(self, tx: Tx, marker: Delivery) -> None:
        tx.deliveries.drop(marker)
        request = tx.requests.look(marker.request_id)
        if request is None or not (request.is_open or self.terms.tells_settled):
            return
        told = tx.deliveries.of_request(request.id)
        known = {each.address for each in told if each.channel == self.channel}
        routes = routes_of(tx, request, self.channel, self.terms)
        made = deliveries_of(marker, [route for route in routes if route.address not in known])
        if made:
            tx.deliveries.add(made)

    def _draft(self, tx: Tx, row: Delivery) -> PostDraft | None:
        """Return the message that this delivery is part of; None if there is nothing to tell."""
        rows = self._rows(tx, row)
        if all(each.message is None for each in rows):
            rows = self._wanted(tx, rows)
        elif self.terms.appends:
            rows = self._still_wanted(tx, rows)
        if not rows:
            return None
        is_new, batch = rows[0].batch is None, rows[0].batch or self.ids("post")
        is_repeated = any(_may_have_arrived(each) for each in rows)
        rows = tx.deliveries.take(rows, batch)
        return PostDraft(
            key=digest(f"{batch}/{rows[0].channel}/{rows[0].address}")[:24],
            rows=tuple(rows),
            draws=tuple(read_showing(tx, each.request_id, self.catalogue) for each in rows),
            is_new=is_new,
            is_repeated=is_repeated,
        )

    def _rows(self, tx: Tx, row: Delivery) -> Sequence[Delivery]:
        if row.batch is not None:
            together = tx.deliveries.batch(self.channel, row.batch)
            return [each for each in together if each.address == row.address]
        if row.digest:
            return tx.deliveries.companions(row, LISTED)
        return tx.deliveries.companions(row, self.terms.grouped) if self.terms.groups else [row]

    def _wanted(self, tx: Tx, rows: Iterable[Delivery]) -> list[Delivery]:
        """Leave out what is not to be told any more."""
        kept = list[Delivery]()
        for row in rows:
            request = tx.requests.look(row.request_id)
            if request is None or not is_wanted(tx, row, request):
                tx.deliveries.drop(row)
            elif request.is_open or self.terms.tells_settled or _may_have_arrived(row):
                kept.append(row)
            elif row.status is DeliveryStatus.DUE:
                # It was settled before anybody here was asked.
                tx.deliveries.tell([row], None)
        return kept

    def _still_wanted(self, tx: Tx, rows: Iterable[Delivery]) -> list[Delivery]:
        """Leave out whose person would get one more message, and is not to be told any more."""
        kept = list[Delivery]()
        for row in rows:
            request = tx.requests.look(row.request_id)
            if request is not None and is_wanted(tx, row, request):
                kept.append(row)
            elif row.status is DeliveryStatus.DUE:
                tx.deliveries.tell([row], row.message)
        return kept


def _may_have_arrived(row: Delivery) -> bool:
    """Return True after an attempt whose end is not known: it may be shown, open, right now."""
    return row.batch is not None and row.message is None
