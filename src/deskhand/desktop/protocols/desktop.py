"""One desktop, opened: the five protocols together."""

from collections.abc import Mapping
from typing import Protocol

from deskhand.desktop.protocols.accessibility import Accessibility
from deskhand.desktop.protocols.clipboard import Clipboard
from deskhand.desktop.protocols.input import Input
from deskhand.desktop.protocols.screen import Screen
from deskhand.desktop.protocols.windows import Windows
from deskhand.desktop.user_guard import Guard, GuardRules


class Desktop(Windows, Accessibility, Screen, Input, Clipboard, Protocol):
    """One desktop, opened. `name` is what messages call it; `environment` starts programs that appear on it."""

    @property
    def name(self) -> str: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def shared(self) -> bool:
        """Whether it is there for people too: a display that was up before we came, and not one that we made."""
        ...

    @property
    def guard(self) -> Guard:
        """What keeps actions off while a person uses it; lets everything pass until `watch` is called."""
        ...

    async def watch(self, rules: GuardRules) -> tuple[str, ...]:
        """From now on until it is closed a person at this desktop is noticed, as `rules` say; called once.

        Returns what of it could not be had, in sentences. Every acting method raises PersonActs while a person
        acts, an action that has begun too, at its next key or click. Raises: DesktopGone.
        """
        ...

    async def close(self) -> None:
        """Lets go of every connection and, where this object started the desktop, ends it with all its programs."""
        ...
