"""Messages on the user's own desktop."""

from collections.abc import Mapping

from deskhand.core.errors import DesktopError, NotificationFailed
from deskhand.desktop.backends import show_notification
from deskhand.notify.message import Message


class DesktopNotification:
    """Shows each message on the desktop of an environment, never on one of an agent; implements `Channel`."""

    def __init__(self, environment: Mapping[str, str], deadline_s: float) -> None:
        self._environment = environment
        self._deadline_s = deadline_s

    @property
    def name(self) -> str:
        return "the desktop"

    async def send(self, message: Message) -> None:
        try:
            await show_notification(self._environment, message.title, message.text, deadline_s=self._deadline_s)
        except DesktopError as error:
            raise NotificationFailed(error.message, fix=error.fix) from error

    async def close(self) -> None:
        return
