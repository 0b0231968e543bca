"""Interactions: presses, forms and commands, the same from the gateway and over HTTP."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, cast

from assent.channels.desk import Desk
from assent.channels.discord.commands import Commands
from assent.channels.discord.modals import entered_in
from assent.channels.discord.replies import answer_to, deferral, late, said
from assent.channels.discord.responder import Responder
from assent.channels.reference import Reference
from assent.errors import AssentError, StoreGone

log = logging.getLogger(__name__)
Payload = dict[str, Any]
# Discord waits for three seconds; the network needs some of them.
ANSWER_SECONDS: Final = 1.5
# Ids of interactions that were handled, to ignore one that comes twice.
REMEMBERED: Final = 10_000
_FAILED: Final = "Something went wrong, and nothing was decided. Try again."
_STRANGE: Final = "This button is not known here any more."


class InteractionType(IntEnum):
    """Discord's numbers."""

    PING = 1
    COMMAND = 2
    COMPONENT = 3
    MODAL_SUBMIT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One action of a person; who they are is what Discord says, not what the data says."""

    id: str
    token: str
    application_id: str
    type: int
    user_id: str
    user_name: str
    data: Mapping[str, Any]

    @property
    def reference(self) -> Reference | None:
        """The reference that the pressed button or the form carries, if it is one of ours."""
        return Reference.read(str(self.data.get("custom_id", "")))


def interaction_in(payload: Mapping[str, Any]) -> Interaction:
    """Read an interaction as Discord sends it; raises `KeyError` or `TypeError` for any other."""
    user = (payload.get("member") or payload)["user"]
    data: object = payload.get("data")
    return Interaction(
        id=str(payload["id"]),
        token=str(payload["token"]),
        application_id=str(payload["application_id"]),
        type=int(payload["type"]),
        user_id=str(user["id"]),
        user_name=str(user.get("global_name") or user.get("username") or ""),
        data=cast("Mapping[str, Any]", data) if isinstance(data, Mapping) else {},
    )


class Interactions:
    """Answers interactions: at once if it can, else it asks to wait and answers later."""

    def __init__(
        self,
        desk: Desk,
        commands: Commands,
        responder: Responder,
        review_url: Callable[[str], str],
    ) -> None:
        self._desk, self._commands, self._responder = desk, commands, responder
        self._review_url = review_url
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    async def first_answer(self, interaction: Interaction) -> Payload | None:
        """Return the first answer, within the time that Discord waits; None for a repetition."""
        if self._is_repeated(interaction.id):
            return None
        work = asyncio.create_task(self._answer(interaction), name="assent-discord-answer")
        await asyncio.wait({work}, timeout=ANSWER_SECONDS)
        if work.done():
            return work.result()
        self._keep(self._answer_late(interaction, work))
        return deferral()

    async def handle(self, interaction: Interaction) -> None:
        """Answer an interaction that came over the gateway."""
        answer = await self.first_answer(interaction)
        if answer is not None:
            await self._responder.answer(interaction.id, interaction.token, answer)

    async def close(self) -> None:
        """End answers that are still being made."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _answer(self, interaction: Interaction) -> Payload:
        try:
            return await self._handlers(interaction)()
        except StoreGone:
            raise
        except AssentError as error:
            log.warning("an interaction of Discord failed: %s", error.code)
        except Exception:
            log.exception("an interaction of Discord failed")
        return said(_FAILED)

    def _handlers(self, interaction: Interaction) -> Callable[[], Awaitable[Payload]]:
        async def press() -> Payload:
            return await self._pressed(interaction)

        async def submit() -> Payload:
            return await self._submitted(interaction)

        async def command() -> Payload:
            return await self._commands.run(
                interaction.user_id, interaction.user_name, interaction.data
            )

        async def strange() -> Payload:
            return said(_STRANGE)

        known: dict[int, Callable[[], Awaitable[Payload]]] = {
            InteractionType.COMPONENT: press,
            InteractionType.MODAL_SUBMIT: submit,
            InteractionType.COMMAND: command,
        }
        return known.get(interaction.type, strange)

    async def _pressed(self, interaction: Interaction) -> Payload:
        reference = interaction.reference
        if reference is None:
            return said(_STRANGE)
        reply = await self._desk.press(interaction.user_id, reference, interaction=interaction.id)
        return answer_to(reply, self._review_url(reference.request_id))

    async def _submitted(self, interaction: Interaction) -> Payload:
        reference = interaction.reference
        if reference is None:
            return said(_STRANGE)
        entered = entered_in(interaction.data)
        reply = await self._desk.submit(
            interaction.user_id, reference, entered, interaction=interaction.id
        )
        return answer_to(reply, self._review_url(reference.request_id))

    async def _answer_late(self, interaction: Interaction, work: "asyncio.Task[Payload]") -> None:
        answer = await work
        message = late(answer, interaction.reference)
        await self._responder.fill_in(interaction.application_id, interaction.token, message)

    def _is_repeated(self, id: str) -> bool:
        if id in self._seen:
            return True
        self._seen[id] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return False

    def _keep(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
