"""Threads of chats: which conversation is held where, and how far the chat shows it."""

from dataclasses import dataclass

from assent.domain.chats import ChatThread, ThreadState
from assent.domain.conversations import Message, Role
from assent.domain.identifiers import want_findable
from assent.engine.kernel import Kernel
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadAnswers:
    """The answers of a conversation that its thread does not show yet, oldest first."""

    state: ThreadState
    answers: tuple[Message, ...]


class ChatThreads:
    """`assent.channels.threads`: reads and records what the threads of a channel show."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def conversation_in(self, channel: str, address: str) -> str | None:
        """Return the id of the conversation that is held in a thread, if there is one."""
        want_findable("thread", address)
        thread = ChatThread(channel=channel, address=address)
        return await self._kernel.store.run(lambda tx: tx.chats.conversation_in(thread))

    async def at_work(self, channel: str) -> list[ThreadState]:
        """Return the threads in which a turn runs or is about to."""
        return await self._kernel.store.run(lambda tx: tx.chats.at_work(channel))

    async def untold(self, channel: str) -> list[ThreadState]:
        """Return the threads that do not show all of their conversation's answers."""
        return await self._kernel.store.run(lambda tx: tx.chats.untold(channel))

    async def answers(self, thread: ChatThread) -> ThreadAnswers | None:
        """Return the answers that a thread does not show yet; None if it has no conversation."""

        def read(tx: Tx) -> ThreadAnswers | None:
            state = tx.chats.state(thread)
            if state is None:
                return None
            messages, _ = tx.snapshots.history(state.conversation_id)
            new = [each for each in messages if each.position > state.told]
            said = tuple(each for each in new if each.role is Role.ASSISTANT)
            return ThreadAnswers(state=state, answers=said)

        return await self._kernel.store.run(read)

    async def show(self, thread: ChatThread, *, told: int, growing: str | None = None) -> None:
        """Record how far a thread shows its conversation."""
        await self._kernel.store.run(lambda tx: tx.chats.show(thread, told=told, growing=growing))
