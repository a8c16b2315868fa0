"""Events outside the session that a tool announced: a download that will end, a job in the background (SPEC 2.4)."""

from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

import anyio
from anyio.abc import TaskGroup

from deskhand.core.errors import StateError


@dataclass(frozen=True, slots=True)
class Arrival:
    """An announced event that happened: `what` it was announced as, and what came of it."""

    what: str
    detail: str

    def __str__(self) -> str:
        return f"{self.what}: {self.detail}"


class ExternalEvents:
    """What tools announced and what of it arrived, for one session. An arrival is told once.

    As an async context it also watches for them: what is still watched when it is left is cancelled.
    """

    def __init__(self) -> None:
        self._announced: dict[int, str] = {}
        self._arrived: deque[Arrival] = deque()
        self._number = 0
        self._listeners: list[Callable[[], None]] = []
        self._watching: TaskGroup | None = None

    async def __aenter__(self) -> "ExternalEvents":
        self._watching = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel_scope.cancel()
            await watching.__aexit__(None, None, None)

    @property
    def outstanding(self) -> bool:
        """Whether anything was announced that has not been told yet."""
        return bool(self._announced or self._arrived)

    def announce(self, what: str) -> Callable[[str], None]:
        """Announces an event; call what is returned, with what came of it, when it happens."""
        self._number += 1
        number = self._number
        self._announced[number] = what

        def arrive(detail: str) -> None:
            if self._announced.pop(number, None) is not None:
                self._arrived.append(Arrival(what, detail))
                for listener in tuple(self._listeners):
                    listener()

        return arrive

    def watch(self, what: str, happening: Callable[[], Awaitable[str]]) -> None:
        """Announces an event and waits for it beside the session; what `happening` returns is what came of it.

        Raises: StateError outside the session's own context.
        """
        if self._watching is None:
            raise StateError(f"nothing watches for {what!r}", fix="announce events while the session runs")
        arrive = self.announce(what)

        async def until_it_happened() -> None:
            arrive(await happening())

        self._watching.start_soon(until_it_happened, name=what)

    def take_arrivals(self) -> tuple[Arrival, ...]:
        """What arrived and was not told yet."""
        taken = tuple(self._arrived)
        self._arrived.clear()
        return taken

    async def next_arrivals(self) -> tuple[Arrival, ...]:
        """Waits until something arrived, and takes it. Callers bound the wait."""
        if not self._arrived:
            arrived = anyio.Event()
            with self.calling(arrived.set):
                await arrived.wait()
        return self.take_arrivals()

    @contextmanager
    def calling(self, listener: Callable[[], None]) -> Generator[None]:
        """Calls `listener` at every arrival, and at once where one waits to be told."""
        self._listeners.append(listener)
        try:
            if self._arrived:
                listener()
            yield
        finally:
            self._listeners.remove(listener)
