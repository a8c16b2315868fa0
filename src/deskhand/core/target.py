"""What can be pointed at: windows, controls and third-party agents (SPEC 4.4)."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role


class TargetKind(StrEnum):
    WINDOW = "window"
    CONTROL = "control"
    THIRD_PARTY_AGENT = "third_party_agent"


ITEMS = frozenset(
    {
        Role.ARTICLE,
        Role.CELL,
        Role.COLUMNHEADER,
        Role.LISTITEM,
        Role.ROW,
        Role.ROWHEADER,
        Role.TREEITEM,
    }
)
"""What is the thing that it shows: another name makes it another one, whatever object draws it."""

_SPACES = re.compile(r"\s+")


@lru_cache(maxsize=4096)
def comparable_name(name: str) -> str:
    """A name as names are compared: NFC, collapsed spaces, no mnemonics, `…` as `...` (SPEC 4.4).

    A mnemonic mark is dropped only where it stands before a letter or digit at the start of a word, so that
    `snake_case` and `__init__` stay as they are.
    """
    text = unicodedata.normalize("NFC", name).replace("…", "...")
    text = _SPACES.sub(" ", text).strip()
    return re.sub(r"(^|(?<=[\s(]))[_&](?=[^\W_])", "", text)


def first_named(targets: Iterable["TargetInfo"], name: str) -> "TargetInfo | None":
    """The first of exactly that name; else the first of that name as names are compared."""
    wanted = comparable_name(name)
    called = [target for target in targets if comparable_name(target.name) == wanted]
    return next((target for target in called if target.name == name), called[0] if called else None)


UNSAVED_MARKS: Final = "*•●"
"""With one of these at its beginning or end a title says that what its window shows has unsaved changes."""

_UNSAVED: Final = re.compile(rf"^\s*[{UNSAVED_MARKS}]|[\[(]modified[\])]|[{UNSAVED_MARKS}]\s*$", re.IGNORECASE)


def is_marked_unsaved(title: str) -> bool:
    """Whether a window's title says that what it shows has unsaved changes; most programs mark nothing."""
    return _UNSAVED.search(title) is not None


MINIMIZED: Final = "hidden"
"""The state of a window that is put away: it is listed, and nothing of it is on the screen."""


TEXT_CUT: Final = "text_cut"
"""The state of a control whose text is longer than its value, which is the beginning of it."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """How a target is found again once its handle is stale.

    `path` goes from the window to the control as `role:name` or, where there is no name, `role#index` among the
    siblings of that role; `window` is the owner window's title at the time and `owner` its handle, `value` helps where
    there is no name. `record` has the texts that say which of several it is: those of its row, of the question it
    answers, or of what stands around it where others of its name show; empty where its name is enough. `alike` is how
    many controls of the window answered to all this, itself included.
    """

    role: Role
    name: str
    path: tuple[str, ...] = ()
    window: str = ""
    value: str = ""
    record: tuple[str, ...] = ()
    owner: str = ""
    alike: int = 1

    @property
    def roles_around(self) -> tuple[str, ...]:
        """The roles of all that the control stands in, the outermost first."""
        return tuple(re.split("[:#]", step)[0] for step in self.path[:-1])


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a control was that only a picture shows, and what it looked like: all there is to know it again by.

    `window` is the handle of the window it was seen in and `window_rect` its place then; `look` is from `core.looks`.
    """

    window: str
    window_rect: Rect
    look: bytes


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """A window, control or third-party agent, as it was at one moment.

    `id` is the label a model or person uses, empty until labelled. `rect` is in physical screen pixels. `handle` is
    the backend's own reference: opaque, hashable, valid while the control lives. `parent` is the handle of the
    nearest ancestor in the same observation; of a window, that of the one it belongs to. `application` and `pid` are
    filled for windows. `sighting` is None but for a control that no accessibility tree has: it was seen in a picture,
    and can be pointed at and nothing else.
    """

    kind: TargetKind
    name: str
    type: Role
    rect: Rect = NOWHERE
    id: str = ""
    raw_role: str = ""
    value: str = ""
    states: frozenset[str] = frozenset()
    actions: tuple[str, ...] = ()
    handle: str = ""
    parent: str = ""
    fingerprint: Fingerprint | None = None
    application: str = ""
    pid: int | None = None
    sighting: Sighting | None = None

    @property
    def unsaved(self) -> bool:
        """Whether it is a window that says of unsaved changes in what it shows; most programs say nothing."""
        return self.kind is TargetKind.WINDOW and is_marked_unsaved(self.name)

    @property
    def describe(self) -> str:
        """One short phrase for messages: `button "Save" [12]`."""
        label = f" [{self.id}]" if self.id else ""
        named = f' "{self.name}"' if self.name else (f" with value {self.value!r}" if self.value else "")
        return f"{self.type}{named}{label}"


def same_window(one: TargetInfo, other: TargetInfo) -> bool:
    """Whether two looks saw the same window.

    A window system gives the handle of a window that is gone to another one, as X does to that of another process.
    """
    return one.handle == other.handle and (one.pid is None or other.pid is None or one.pid == other.pid)


@dataclass(slots=True)
class TargetRegistry:
    """The targets one prompt was made from, by id; the ids of a reply are resolved only here."""

    targets: dict[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])

    def register(self, target: TargetInfo) -> None:
        self.targets[target.id] = target

    def get(self, target_id: str) -> TargetInfo | None:
        return self.targets.get(target_id)

    def to_list(self) -> list[TargetInfo]:
        return list(self.targets.values())
