"""The desktop of a server: opened when a call needs it, and again after it ended."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol, cast

import anyio

from deskhand.core.errors import DeskhandError, StoppedByPerson
from deskhand.desktop.protocols.desktop import Desktop

Opening = Callable[[], AbstractAsyncContextManager[Desktop]]


class Source(Protocol):
    """Gives calls the desktop they work on."""

    @property
    def name(self) -> str: ...

    async def get(self) -> Desktop:
        """Return the open desktop. Raises: errors of opening it."""
        ...

    def lost(self, desktop: Desktop) -> None:
        """Note that it is gone, so that the next call opens it again."""
        ...


class OpenDesktop:
    """A desktop that its owner opened and closes."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    @property
    def name(self) -> str:
        return self._desktop.name

    async def get(self) -> Desktop:
        return self._desktop

    def lost(self, desktop: Desktop) -> None:
        """Change nothing: nobody else opens it again."""


class ServedDesktop:
    """Opens a desktop by name, and again after it ended or where an earlier attempt failed."""

    def __init__(self, name: str, opening: Opening) -> None:
        self._name = name
        self._opening = opening
        self._desktop: Desktop | None = None
        self._failure: DeskhandError | None = None
        self._one_attempt = anyio.Lock()
        self._wanted, self._tried, self._gone = anyio.Event(), anyio.Event(), anyio.Event()

    @property
    def name(self) -> str:
        return self._desktop.name if self._desktop else self._name or "a desktop"

    async def get(self) -> Desktop:
        async with self._one_attempt:
            if self._desktop is None:
                self._failure, self._tried = None, anyio.Event()
                self._wanted.set()
                await self._tried.wait()
            if self._desktop is None:
                raise self._failure or AssertionError("an attempt gives a desktop or its failure")
            return self._desktop

    def lost(self, desktop: Desktop) -> None:
        if desktop is self._desktop:
            self._desktop = None
            self._gone.set()

    async def hold(self) -> None:
        """Open the desktop for each `get` that needs it, in one task, until cancelled. Raises: StoppedByPerson."""
        while True:
            await self._wanted.wait()
            self._wanted, self._gone = anyio.Event(), anyio.Event()
            try:
                async with self._opening() as desktop:
                    self._desktop = desktop
                    self._tried.set()
                    await self._gone.wait()
            except StoppedByPerson:
                raise
            except DeskhandError as error:
                if not self._gone.is_set():  # else the end of one that is gone, of which nobody has to know
                    self._failure = error
                    self._tried.set()


@asynccontextmanager
async def serving(name: str, opening: Opening) -> AsyncGenerator[ServedDesktop]:
    """Return a desktop that is open while it is needed. Raises: StoppedByPerson, and the error of the code inside."""
    served = ServedDesktop(name, opening)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(served.hold)
            yield served
            group.cancel_scope.cancel()
    except ExceptionGroup as group:  # what `except*` raises would be a group again
        raise _leaf(group) from None


def _leaf(error: Exception) -> Exception:
    """Return the first error in nested groups."""
    if not isinstance(error, ExceptionGroup):
        return error
    return _leaf(
        cast("ExceptionGroup[Exception]", error).exceptions[0]
    )  # isinstance leaves the type of its errors open
