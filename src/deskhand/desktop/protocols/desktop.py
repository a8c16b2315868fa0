"""One desktop, opened: the six protocols together."""

from collections.abc import Mapping
from typing import Protocol

from deskhand.desktop.protocols.accessibility import Accessibility
from deskhand.desktop.protocols.application_interface import ApplicationInterfaces
from deskhand.desktop.protocols.clipboard import Clipboard
from deskhand.desktop.protocols.input import Input
from deskhand.desktop.protocols.screen import Screen
from deskhand.desktop.protocols.windows import Windows
from deskhand.desktop.user_guard import Guard, GuardRules


class Desktop(Windows, Accessibility, Screen, Input, Clipboard, ApplicationInterfaces, Protocol):
    """One desktop, opened. `name`: its name in messages; `environment`: for programs that are to appear on it."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    reads_pictures: bool
    """True if texts that a window draws without exposing them are read from its picture; set by the opener."""

    @property
    def shared(self) -> bool:
        """True if users have it too: a display that Deskhand did not start."""
        ...

    @property
    def guard(self) -> Guard:
        """Guard that blocks actions while the user acts; it blocks nothing until `watch` is called."""
        ...

    async def watch(self, rules: GuardRules, with_viewer: GuardRules | None = None) -> tuple[str, ...]:
        """Detect the activity of a user at this desktop until it is closed, by `rules`; called once.

        `with_viewer`: the rules while a viewer that may send input is open (`Guard.has_viewer`); default: the same.
        Return what cannot be detected, in sentences. Every acting method raises PersonActs while the user acts; an
        action that has begun raises it at its next key or click. Raises: DesktopGone.
        """
        ...

    async def close(self) -> None:
        """Close every connection and, where this object started the desktop, end it with all its programs."""
        ...
