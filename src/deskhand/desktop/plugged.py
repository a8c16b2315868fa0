"""Desktops of the backends of plug-ins."""

import inspect
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType

from deskhand.core.errors import DeskhandError
from deskhand.core.plugins import Plugin
from deskhand.desktop.protocols.desktop import Desktop


def check_backend(plugin: Plugin) -> None:
    """Raises: PluginBroken for one that cannot be called as `open_plugged` does, or is not async."""
    function = inspect.unwrap(plugin.maker("", holder="", brief=False))
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        raise plugin.broken("it is no async context manager: write @asynccontextmanager above an async generator")


@asynccontextmanager
async def open_plugged(plugin: Plugin, address: str, *, holder: str, brief: bool) -> AsyncGenerator[Desktop]:
    """Open a desktop by the function of a plug-in, `open(address, *, holder, brief)`: an async context manager.

    Raises: PluginBroken for its errors, and a desktop that lacks a part; errors of `deskhand` are passed on.
    """
    opens = plugin.maker("", holder="", brief=False)
    async with AsyncExitStack() as stack:
        opened = _Opened(plugin)
        stack.push_async_exit(opened.leave)
        desktop = await opened.enter(opens(address, holder=holder, brief=brief))
        if lacking := [name for name in _parts() if not hasattr(desktop, name)]:
            raise plugin.broken(f"a {type(desktop).__name__} is no desktop: it has no {', '.join(lacking)}")
        yield desktop


class _Opened:
    """The desktop of a plug-in, whose own errors of opening and closing are those of a plug-in."""

    def __init__(self, plugin: Plugin) -> None:
        self._plugin = plugin
        self._stack = AsyncExitStack()

    async def enter(self, manager: object) -> Desktop:
        """Raises: PluginBroken."""
        try:
            return await self._stack.enter_async_context(manager)  # pyright: ignore[reportArgumentType, reportUnknownVariableType, reportUnknownMemberType] - what is none raises TypeError
        except DeskhandError:
            raise
        except Exception as error:
            raise self._plugin.failed(error) from error

    async def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Raises: PluginBroken."""
        try:
            return bool(await self._stack.__aexit__(kind, error, trace))
        except DeskhandError:
            raise
        except Exception as raised:
            if raised is error:
                raise
            raise self._plugin.failed(raised) from raised


def _parts() -> tuple[str, ...]:
    """Return the names of the methods and attributes of a desktop."""
    parts = inspect.getmro(Desktop)
    named = (name for part in parts for name in (*vars(part), *inspect.get_annotations(part)))
    return tuple(dict.fromkeys(name for name in named if not name.startswith("_")))
