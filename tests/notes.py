"""A small application for tests of flows: a window with a text, a few buttons and a log of what they did."""

from collections.abc import Callable, Sequence

from deskhand.core.model import ModelRequest, TextPart
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow

APP = "AppAgent/notes"
CONFIRM_DELETE = "{name: Delete}"


class Notes:
    """`log` is what its buttons did; a box counts them, so that a press can be seen. `Quiet` shows nothing.

    `on_press` is told the log after each.
    """

    def __init__(
        self,
        extra: Sequence[FakeControl] = (),
        desktop: FakeDesktop | None = None,
        on_press: Callable[[Sequence[str]], object] = len,
    ) -> None:
        self.desktop = desktop or FakeDesktop()
        self._on_press = on_press
        self.log: list[str] = []
        self.count = FakeControl(Role.CHECKBOX, "Counter")
        self.text = FakeControl(Role.TEXTBOX, "Text")
        self.delete = self._button("Delete")
        self.save = self._button("Save")
        self.quiet = FakeControl(Role.BUTTON, "Quiet", on_click=lambda: self._press("Quiet"))
        self.tidy = self._button("Tidy")
        controls = [self.text, self.save, self.delete, self.quiet, self.count, self.tidy, *extra]
        self.window = self.desktop.open(FakeWindow("Notes", controls, "notes", focused=self.text))

    def _button(self, name: str) -> FakeControl:
        def press() -> None:
            self._press(name)
            self.count.value = str(len(self.log))

        return FakeControl(Role.BUTTON, name, on_click=press)

    def _press(self, name: str) -> None:
        self.log.append(name)
        self._on_press(self.log)


def prompt_of(request: ModelRequest) -> str:
    """All text of a prompt."""
    return "\n".join(part.text for message in request.messages for part in message.parts if isinstance(part, TextPart))
