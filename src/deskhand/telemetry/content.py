"""Texts of a session that are exported only with `telemetry.content`, and never with a password in them."""

import json
from collections.abc import Iterable
from typing import Final

from deskhand.commands.secret_texts import Hiding, arguments_of
from deskhand.core.events import ActionEvent, Event
from deskhand.core.text import cut

LONGEST: Final = 8000
"""Bytes of one attribute."""


class Content:
    """Returns texts with the passwords that were typed, or were to be, until then replaced; None if they stay here."""

    def __init__(self, secrets: Iterable[ActionEvent] = (), *, wanted: bool) -> None:
        """`secrets`: the actions of an earlier process that typed a password."""
        self.wanted = wanted
        self._secrets = [*secrets]
        self._hiding: Hiding | None = None

    def hear(self, event: Event) -> None:
        """Take note of a password before the action that types it."""
        if self.wanted and isinstance(event, ActionEvent) and event.is_secret:
            self._secrets.append(event)
            self._hiding = None

    def text(self, text: str) -> str | None:
        if not self.wanted or not text:
            return None
        self._hiding = self._hiding or Hiding(self._secrets)
        return cut(self._hiding.hide(text), LONGEST)

    def arguments(self, event: ActionEvent) -> str | None:
        """The arguments of an action as JSON."""
        return self.text(json.dumps(arguments_of(event), ensure_ascii=False)) if self.wanted else None
