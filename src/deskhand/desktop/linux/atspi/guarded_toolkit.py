"""Toolkits of plug-ins and callers: an error of a hook is reported once, and the hook of our class is used instead."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from deskhand.core.errors import DeskhandError, PluginBroken
from deskhand.core.plugins import Report
from deskhand.desktop.linux.atspi.toolkit import Toolkit

_OWNS: Final = "owns"
_OURS: Final = "deskhand."
Hook = Callable[..., Any]  # Any: each hook has its own types, which are passed on


def guarded(toolkit: type[Toolkit], name: str, report: Report) -> type[Toolkit]:
    """Return the toolkit with its hooks guarded. After an error none of its own is called again, for any application.

    `name`: in the report. Raises: PluginBroken for a hook that is not async as that of our class, or is it alone.
    """
    guard = _Guard(name, report)
    hooks: dict[str, object] = {}
    for hook, own in _foreign_hooks(toolkit):
        ours = _our_hook(toolkit, hook)
        if inspect.iscoroutinefunction(own) is not inspect.iscoroutinefunction(ours):
            how = "async" if inspect.iscoroutinefunction(ours) else "not async"
            raise PluginBroken(f"{hook} of {name} has to be {how}", fix="write it as in deskhand's Toolkit")
        hooks[hook] = guard.owns(own) if hook == _OWNS else guard.hook(hook, own, ours)
    return type(toolkit.__name__, (toolkit,), hooks)


def _foreign_hooks(toolkit: type[Toolkit]) -> Iterator[tuple[str, Hook]]:
    """Yield the methods of our class that another package defines anew."""
    for name, ours in vars(Toolkit).items():
        defined = next(cls for cls in toolkit.__mro__ if name in vars(cls))
        if callable(getattr(ours, "__func__", ours)) and not defined.__module__.startswith(_OURS):
            found = vars(defined)[name]
            yield name, getattr(found, "__func__", found)


def _our_hook(toolkit: type[Toolkit], name: str) -> Hook:
    found = next(vars(cls)[name] for cls in toolkit.__mro__ if cls.__module__.startswith(_OURS) and name in vars(cls))
    return getattr(found, "__func__", found)


@dataclass(slots=True)
class _Guard:
    name: str
    report: Report
    is_broken: bool = False

    def hook(self, name: str, own: Hook, ours: Hook) -> Hook:
        if inspect.iscoroutinefunction(ours):

            async def call_async(*arguments: object, **options: object) -> object:
                if not self.is_broken:
                    try:
                        return await own(*arguments, **options)
                    except DeskhandError:
                        raise
                    except Exception as error:  # noqa: BLE001 - the code of another package
                        self._failed(name, error)
                return await ours(*arguments, **options)

            return call_async

        def call(*arguments: object, **options: object) -> object:
            if not self.is_broken:
                try:
                    return own(*arguments, **options)
                except DeskhandError:
                    raise
                except Exception as error:  # noqa: BLE001 - as above
                    self._failed(name, error)
            return ours(*arguments, **options)

        return call

    def owns(self, own: Hook) -> object:
        """Return the class method that claims applications; a broken toolkit claims none."""

        def owns(cls: type[Toolkit], *told: str) -> bool:
            if self.is_broken:
                return False
            try:
                return bool(own(cls, *told))
            except Exception as error:  # noqa: BLE001 - as above
                self._failed(_OWNS, error)
                return False

        return classmethod(owns)

    def _failed(self, hook: str, error: Exception) -> None:
        self.is_broken = True
        problem = f"{self.name}: {hook} raised {type(error).__name__}: {error}; it is left out"
        self.report(PluginBroken(problem, fix="correct it, or uninstall the package"))
