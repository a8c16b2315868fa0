"""A document in memory that shows only a part of itself."""

from dataclasses import dataclass, field

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow

LINE = 20
NOTCH = 3
LONG = 2000
PAGED = frozenset({Trait.PAGED_TEXT})
VIEW = Rect(0, 100, 600, 500)
"""A view of 20 lines."""


@dataclass
class Paged:
    """A document of one paragraph a line, of which 20 lines are in view; each line is a new object when it comes back.

    `top`: the first line in view.
    """

    lines: list[str]
    top: int = 0
    desktop: FakeDesktop = field(default_factory=FakeDesktop)

    def __post_init__(self) -> None:
        self.bar = FakeControl(Role.SCROLLBAR, rect=Rect(600, 100, 620, 500))
        self.document = FakeControl(Role.DOCUMENT, "letter", rect=VIEW, traits=PAGED, on_scroll=self._turn)
        self._shown: dict[int, FakeControl] = {}
        self._show()
        controls = [FakeControl(Role.BUTTON, "Bold", rect=Rect(0, 50, 50, 90)), self.document, self.bar]
        self.window = self.desktop.open(FakeWindow("Letter", controls, "writer", rect=Rect(0, 0, 700, 700)))

    @property
    def in_view(self) -> list[str]:
        return [child.value for child in self.document.children]

    def _turn(self, notches: int) -> None:
        self.top = max(0, min(len(self.lines) - 20, self.top - NOTCH * notches))
        self._show()

    def _show(self) -> None:
        rows = range(self.top, min(self.top + 20, len(self.lines)))
        self._shown = {row: self._shown.get(row) or _paragraph(self.lines[row]) for row in rows}
        for number, paragraph in enumerate(self._shown.values()):
            paragraph.rect = Rect(0, VIEW.top + number * LINE, 600, VIEW.top + (number + 1) * LINE)
        self.document.children[:] = self._shown.values()
        self.bar.number = self.top * 7.0


def _paragraph(text: str) -> FakeControl:
    """A paragraph, of which an observation has the beginning if it is long."""
    return FakeControl(Role.PARAGRAPH, value=text, states={TEXT_CUT} if len(text) > LONG else set[str]())


def letter(count: int = 200) -> list[str]:
    lines = [f"line {number}" for number in range(1, count + 1)]
    lines[2], lines[120], lines[160], lines[164] = (
        "a heron waits",
        "a kestrel",
        "heron and kestrel",
        "heron and kestrel",
    )
    return lines
