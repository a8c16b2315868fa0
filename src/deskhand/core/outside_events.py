"""Events outside the session that a tool announced, such as the end of a download or of a background job."""

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
    """An announced event that happened: `what` was announced, `detail` is its result."""

    what: str
    detail: str

    def __str__(self) -> str:
        return f"{self.what}: {self.detail}"


class ExternalEvents:
    """Announced and arrived events of one session. Each arrival is returned once.

    As an async context it also watches for them; on exit the remaining watches are cancelled.
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
        """True if an announced event was not taken yet."""
        return bool(self._announced or self._arrived)

    def announce(self, what: str) -> Callable[[str], None]:
        """Announce an event; call the returned function with its result when it happens."""
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
        """Announce an event and wait for it beside the session; `happening` returns its result.

        Raises: StateError outside the session's own context.
        """
        if self._watching is None:
            raise StateError(f"events cannot be watched now: {what!r}", fix="announce events while the session runs")
        arrive = self.announce(what)

        async def until_it_happened() -> None:
            arrive(await happening())

        self._watching.start_soon(until_it_happened, name=what)

    def take_arrivals(self) -> tuple[Arrival, ...]:
        """Return the arrivals that were not taken yet."""
        taken = tuple(self._arrived)
        self._arrived.clear()
        return taken

    async def next_arrivals(self) -> tuple[Arrival, ...]:
        """Wait for an arrival and take it. Callers bound the wait."""
        if not self._arrived:
            arrived = anyio.Event()
            with self.calling(arrived.set):
                await arrived.wait()
        return self.take_arrivals()

    @contextmanager
    def calling(self, listener: Callable[[], None]) -> Generator[None]:
        """Call `listener` at every arrival, and at once if one was not taken yet."""
        self._listeners.append(listener)
        try:
            if self._arrived:
                listener()
            yield
        finally:
            self._listeners.remove(listener)
