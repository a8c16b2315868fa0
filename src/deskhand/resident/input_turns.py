"""Pointer and keyboard of the server's desktop, which its clients have in turns."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from anyio import CancelScope, Lock

from deskhand.core.ports import Answers, ConfirmationRequest, Interactor
from deskhand.desktop.backends import lock_input


class InputTurns:
    """One client at a time acts, and no other process meanwhile."""

    def __init__(self, display: str) -> None:
        self._display = display
        self._kept = AsyncExitStack()
        self.keepers = 0
        """Number of clients that keep other processes off."""
        self._waiting = Lock()
        self.lock = Lock()
        """Held by the client that acts."""

    @asynccontextmanager
    async def kept(self, who: str, pid: int) -> AsyncGenerator[None]:
        """Keep other processes off until left, for the process `pid`.

        Raises: DesktopBusy (another has pointer and keyboard), DesktopGone.
        """
        async with self._waiting:
            if not self.keepers:
                await self._kept.enter_async_context(lock_input(self._display, who, pid))
            self.keepers += 1
        try:
            yield
        finally:
            with CancelScope(shield=True):
                async with self._waiting, self.lock:
                    self.keepers -= 1
                    if not self.keepers:
                        await self._kept.aclose()

    @asynccontextmanager
    async def turn(self, who: str, pid: int) -> AsyncGenerator["Turn"]:
        """Have pointer and keyboard for one action of the process `pid`. Raises: as `kept`."""
        turn = Turn(self, who, pid)
        await turn.take()
        try:
            yield turn
        finally:
            await turn.give_back()

    async def take(self, who: str, pid: int) -> AsyncExitStack:
        """Have pointer and keyboard until the stack is closed. Raises: as `kept`."""
        await self.lock.acquire()
        async with AsyncExitStack() as stack:
            stack.callback(self.lock.release)
            if not self.keepers:
                await stack.enter_async_context(lock_input(self._display, who, pid, brief=True))
            return stack.pop_all()


class Turn:
    """The turn of one client."""

    def __init__(self, turns: InputTurns, who: str, pid: int) -> None:
        self._turns = turns
        self._who = who
        self._pid = pid
        self._held: AsyncExitStack | None = None

    async def take(self) -> None:
        """Raises: DesktopBusy, DesktopGone."""
        self._held = await self._turns.take(self._who, self._pid)

    async def give_back(self) -> None:
        """Let others act; nothing happens where they may already."""
        held, self._held = self._held, None
        if held is not None:
            with CancelScope(shield=True):
                await held.aclose()


class AskedOutsideTurn:
    """Asks by another interactor; meanwhile other clients have their turns."""

    def __init__(self, interactor: Interactor, turn: Turn) -> None:
        self._interactor = interactor
        self._turn = turn

    @property
    def reaches_person(self) -> bool:
        return self._interactor.reaches_person

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        return await self._interactor.ask(agent, questions)

    async def confirm(self, request: ConfirmationRequest) -> bool | None:
        """Raises: DesktopBusy, DesktopGone where the turn cannot be taken again."""
        await self._turn.give_back()
        decision = await self._interactor.confirm(request)
        await self._turn.take()
        return decision
