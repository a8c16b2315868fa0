"""Parts of a window that its program draws without exposing what they show, and the texts read from their picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.appearance import look_of
from deskhand.core.errors import DeskhandError, MissingRequirement, TextsUnread
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import COVERED, MINIMIZED, Fingerprint, Sighting, TargetInfo, TargetKind, Trait
from deskhand.core.text import quoted
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.roles import role_of
from deskhand.desktop.picture_text.lines import Line
from deskhand.desktop.picture_text.models import FIX, is_installed
from deskhand.desktop.picture_text.reader import PictureTexts

_DRAWN: Final = frozenset({Role.CANVAS, Role.GENERIC, Role.GROUP, Role.IMAGE, Role.UNKNOWN})
"""Roles of elements that may draw texts if nothing is inside them."""
_PICTURES: Final = frozenset({Role.CANVAS, Role.IMAGE})
"""Those of them that may do so although they have a name."""
_CANVAS: Final = 2_000
"""Square pixels of a canvas from which on it is read."""
_LARGE: Final = 0.05
"""The part of its window that another element has to fill: most pictures and fillers are smaller, or empty."""
_STATES: Final = frozenset({"showing", "visible", "enabled", "picture_only"})


_DEADLINE_S: Final = 4.0
"""Timeout for the texts of one picture; a full screen of text takes a second."""


@dataclass(frozen=True, slots=True)
class DrawnTexts:
    """The texts of drawn parts as controls; `problem`: why they were not read; `over`: the windows that cover some."""

    controls: tuple[TargetInfo, ...] = ()
    problem: str = ""
    over: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """A sentence on what was read."""
        found = "its texts were read from the picture" if self.controls else "no text was found in its picture"
        return self.problem or "; ".join(filter(None, [found, self.unseen]))

    @property
    def unseen(self) -> str:
        """A sentence on what was not read because other windows are over it; empty: nothing."""
        return f"texts below {' and '.join(map(quoted, self.over))} are not known" if self.over else ""


async def read_drawn(
    reader: PictureTexts, window: TargetInfo, picture: Picture, controls: Sequence[TargetInfo], parts: Sequence[Rect]
) -> DrawnTexts:
    """Read the texts of parts of a window's picture."""
    try:
        lines = await reader.read(window, picture, parts, deadline_s=_DEADLINE_S)
    except (MissingRequirement, TextsUnread) as error:
        return DrawnTexts(problem=_as_problem(error))
    over = [each.name for each in picture.over if any(not each.rect.intersection(part).empty for part in parts)]
    return DrawnTexts(_text_controls(lines, picture, window, controls), over=tuple(dict.fromkeys(over)))


def why_unreadable() -> str:
    """Return why no picture can be read on this machine, with the remedy; empty where it can."""
    return "" if is_installed() else f"its texts can be read from the picture with the extra `vision`: {FIX}"


def _as_problem(error: DeskhandError) -> str:
    return f"{error.message}; {error.fix}" if error.fix else error.message


def drawn_parts(window: TargetInfo, controls: Sequence[TargetInfo], walk: Walk) -> tuple[Rect, ...]:
    """Return the parts of a window to read from its picture: all of it where no control has a text, else the elements
    that draw their content. None of a minimized one.
    """
    if MINIMIZED in window.states:
        return ()
    if not any(control.name or control.value for control in controls):
        return (window.rect,)
    large = [node for node in walk.nodes.values() if _draws(node, window)]
    around = {node.parent for node in walk.nodes.values()} if large else set[Ref | None]()
    drawn = [node for node in large if node.ref not in around and not _is_in_document(node, walk.nodes)]
    return tuple(dict.fromkeys(node.rect.intersection(window.rect) for node in drawn))


def _draws(node: Node, window: TargetInfo) -> bool:
    role = role_of(node.role)
    if role not in _DRAWN or node.text or (node.name and role not in _PICTURES):
        return False
    least = _CANVAS if role is Role.CANVAS else _LARGE * window.rect.area
    return node.rect.area >= least and node.rect.intersection(window.rect).area >= least


def _is_in_document(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    """True inside a document of an office program, which exposes the texts on its pages; a web page's images may hold
    others.
    """
    above = nodes.get(node.parent) if node.parent else None
    while above is not None and not node.in_page:
        if role_of(above.role) is Role.DOCUMENT:
            return True
        above = nodes.get(above.parent) if above.parent else None
    return False


def _text_controls(
    lines: Sequence[Line], picture: Picture, window: TargetInfo, controls: Sequence[TargetInfo]
) -> tuple[TargetInfo, ...]:
    """Return lines of a window's picture as controls, without those in the place of a control with a text."""
    texts = [control for control in controls if control.name or control.value]
    taken = [control.rect for control in texts if not _is_around(control, controls)]
    shown = [line for line in lines if not any(rect.contains(line.rect.center) for rect in taken)]
    drawn = [control for control in controls if control.type in _DRAWN]
    over = [each.rect for each in picture.over]
    return tuple(_control(line, picture, window, _inside(line, drawn), over) for line in shown)


def _inside(line: Line, drawn: Sequence[TargetInfo]) -> str:
    """The handle of the smallest control that a line is drawn in; empty: it is drawn in the window."""
    around = [control for control in drawn if control.rect.contains(line.rect.center)]
    return min(around, key=lambda control: control.rect.area).handle if around else ""


def _is_around(control: TargetInfo, controls: Sequence[TargetInfo]) -> bool:
    """True if a control may be the one that draws, or around it."""
    return control.type in _DRAWN or any(other.parent == control.handle for other in controls)


def _control(line: Line, picture: Picture, window: TargetInfo, parent: str, over: Sequence[Rect]) -> TargetInfo:
    covered = {COVERED} if any(not line.rect.intersection(place).empty for place in over) else set[str]()
    return TargetInfo(
        TargetKind.CONTROL,
        line.text,
        Role.TEXT,
        line.rect,
        raw_role="text in the picture",
        states=_STATES | covered,
        handle=f"read:{window.handle}:{line.handle}",
        parent=parent,
        fingerprint=Fingerprint(Role.TEXT, line.text, window=window.name, owner=window.handle),
        sighting=Sighting(window.handle, window.rect, look_of(picture, line.rect)),
        traits=frozenset({Trait.READ_FROM_PICTURE}),
    )
