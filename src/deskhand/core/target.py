"""Targets of actions: windows, controls and third-party agents (contract 4.4)."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import Final

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.text import quoted


class TargetKind(StrEnum):
    WINDOW = "window"
    CONTROL = "control"
    THIRD_PARTY_AGENT = "third_party_agent"


class Trait(StrEnum):
    """A peculiarity of a window or control that decides how to act on it and how to read the effect.

    Backends set traits, tools read them. A control keeps its traits as long as it has its role.
    """

    TOGGLE = "toggle"
    """A button that stays pressed."""
    TOGGLE_BY_KEY = "toggle_by_key"
    """An item with a check box that no action toggles; the space bar does."""
    STATE_IS_LATE = "state_is_late"
    """Reports up to 0.7 s late that it is checked or selected."""
    STATE_IS_HIDDEN = "state_is_hidden"
    """A menu's item that reports whether it is checked only once its menu opens again."""
    CHECK_NOT_EXPOSED = "check_not_exposed"
    """May be drawn as checked without reporting it."""
    SELECT_BY_CLICK = "select_by_click"
    """An item that only a click applies; selecting it merely marks it."""
    OPENS_BY_CLICK = "opens_by_click"
    """A combo box whose items are chosen by a click; selecting one merely marks it."""
    OPENS_LIST = "opens_list"
    """A button that drops a list down; the list appears elsewhere in the window."""
    IN_POPUP_LIST = "in_popup_list"
    """An item of a list that was dropped down, whose actions apply nothing; a click does."""
    POPUP_LIST = "popup_list"
    """A list that was dropped down."""
    PARTIAL_LIST = "partial_list"
    """Exposes only the items in view; others are scrolled to."""
    FINDS_ITEMS = "finds_items"
    """Exposes only the items in view; its program scrolls to another one by its name."""
    ACTIVATES_SELECTED = "activates_selected"
    """Its activation applies to the selected item of its list, whichever that is."""
    SELECT_TO_ACTIVATE = "select_to_activate"
    """An item whose program may apply its activation to the selected items instead: it is selected first."""
    OF_SHEET = "of_sheet"
    """The cells or a cell of a spreadsheet; of the same name in one window: the same in another pane."""
    SIDE_BAR = "side_bar"
    """A panel at the side of the window's content, with tools or settings."""
    PAGED_TEXT = "paged_text"
    """A document of paragraphs on pages, of which it exposes those in view; the wheel scrolls through them."""
    BARS_FOLLOW_SELECTION = "bars_follow_selection"
    """Selecting it changes toolbars and sidebars, so that controls that appear or disappear prove nothing."""
    FOCUS_BY_CLICK = "focus_by_click"
    """Takes the keyboard only by a click."""
    FOLLOWS_POINTER = "follows_pointer"
    """A status bar that reports the pointer's place, and counts some time late: its changes prove nothing."""
    OVERTAKES_KEYS = "overtakes_keys"
    """A window that handles some keys before those sent earlier."""
    SLOW_FIELDS = "slow_fields"
    """A window whose next field loses keys that arrive right after Tab or Enter."""
    LOSES_SHORT_PRESSES = "loses_short_presses"
    """A window with buttons that do nothing when the pointer's button is released at once."""
    WINDOWS_PATHS = "windows_paths"
    """A field of a Windows program, which names files as Windows does; its drive Z: is the root folder."""
    SAVES_FIRST = "saves_first"
    """A window that has saved its file before it handles the next key."""
    READ_FROM_PICTURE = "read_from_picture"
    """A text that was read from the picture: its program exposes nothing there."""
    MARKS_UNSAVED = "marks_unsaved"
    """A window whose title marks unsaved changes: without a mark there are none."""
    HAS_OWN_INTERFACE = "has_own_interface"
    """A window of an application that offers other programs an interface to its documents."""


NO_TRAITS: Final = frozenset[Trait]()

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
"""Roles identified by the content they show: another name makes it another item, even in the same object."""

_SPACES = re.compile(r"\s+")


def record_of(control: "TargetInfo") -> tuple[str, ...]:
    """Return the texts that identify the record a control belongs to; of an item its name, else empty."""
    record = control.fingerprint.record if control.fingerprint else ()
    return record or ((comparable_name(control.name),) if control.type in ITEMS and control.name else ())


@lru_cache(maxsize=4096)
@lru_cache(maxsize=4096)
def comparable_name(name: str) -> str:
    """Normalise a name for comparison: NFC, collapsed spaces, no mnemonics, `…` as `...` (contract 4.4).

    A mnemonic mark is dropped only before a letter or digit at the start of a word, so that `snake_case` and
    `__init__` are unchanged.
    """
    text = unicodedata.normalize("NFC", name).replace("…", "...")
    text = _SPACES.sub(" ", text).strip()
    return re.sub(r"(^|(?<=[\s(]))[_&](?=[^\W_])", "", text)


def first_named(targets: Iterable["TargetInfo"], name: str) -> "TargetInfo | None":
    """Return the first target of exactly that name; else the first whose comparable name is equal."""
    wanted = comparable_name(name)
    called = [target for target in targets if comparable_name(target.name) == wanted]
    return next((target for target in called if target.name == name), called[0] if called else None)


UNSAVED_MARKS: Final = "*•●"
"""One of these at the beginning or end of a title marks unsaved changes."""

_UNSAVED: Final = re.compile(rf"^\s*[{UNSAVED_MARKS}]|[\[(]modified[\])]|[{UNSAVED_MARKS}]\s*$", re.IGNORECASE)


def is_marked_unsaved(title: str) -> bool:
    """True if a window's title marks unsaved changes; most programs mark nothing."""
    return _UNSAVED.search(title) is not None


MINIMIZED: Final = "hidden"
"""The state of a minimized window: it is listed, and nothing of it is on the screen."""


_LONGEST: Final = 80
"""Characters of a value in a message."""
PAGE_TITLE: Final = 60
"""Characters of the title of a page in view."""

COVERED: Final = "covered"
"""The state of a text that was read from the picture before another window covered it: it may be another one now."""

TEXT_CUT: Final = "text_cut"
"""The state of a control whose value is only the beginning of its text."""


_DOCUMENT_STEP: Final = (f"{Role.DOCUMENT}:", f"{Role.DOCUMENT}#")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The properties by which a target is found again once its handle is stale.

    `path` goes from the window to the control as `role:name` or, without a name, `role#index` among the siblings of
    that role. `window` is the owner window's title at the time and `owner` its handle. `value` helps where there is no
    name. `record` holds texts that distinguish it from controls of the same name: those of its row, of the question it
    answers, or around it; empty if its name is enough. `alike` counts the controls of the window that match all this,
    itself included.
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
        """The roles of its ancestors, the outermost first."""
        return tuple(re.split("[:#]", step)[0] for step in self.path[:-1])

    @property
    def in_document(self) -> bool:
        """True if an ancestor is a document, such as a web page."""
        return any(step.startswith(_DOCUMENT_STEP) for step in self.path[:-1])


@dataclass(frozen=True, slots=True)
class Sighting:
    """The place and appearance of a control that only a screenshot shows, by which it is found again.

    `window` is the handle of its window and `window_rect` the window's place then; `look` is from `core.looks`.
    """

    window: str
    window_rect: Rect
    look: bytes


@dataclass(frozen=True, slots=True)
class TextCaret:
    """Caret and selection of the text with the keyboard.

    `before`: the last words before the caret or the selection, in its line; `…` if there are more. `line`: its line,
    from 1, in a text of several lines, else 0. `at_end`: nothing follows the caret. `selected`: the selected text, or
    its beginning; `is_whole`: it is all of the text.
    """

    before: str = ""
    line: int = 0
    at_end: bool = False
    selected: str = ""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """A window, control or third-party agent, as it was at one moment.

    `number` is the number that the program has for a number field, which may differ from the text in it. `id` is the
    label a model or user refers to, empty until labelled. `rect` is in physical screen pixels. `raw_role`
    is the backend's own role name, for display. `handle` is the backend's reference: opaque, hashable, valid while the
    control lives. `parent` is the handle of the nearest ancestor in the same observation; of a window, that of its
    owner. `application` and `pid` are set for windows. `sighting` is set for a control that only a screenshot shows: it
    can be pointed at and nothing else. `note` has a few words on the page of a document, or on content out of view:
    `slide 2 of 5: "Budget"`, `caret on page 2 of 9`, `1 hidden sheet`. `caret` is set for the text with the keyboard,
    and for selected paragraphs.
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
    traits: frozenset[Trait] = NO_TRAITS
    number: float | None = None
    note: str = field(default="", compare=False)
    caret: TextCaret | None = field(default=None, compare=False)

    @property
    def unsaved(self) -> bool:
        """True if it is a window whose title marks unsaved changes; most programs mark nothing."""
        return self.kind is TargetKind.WINDOW and is_marked_unsaved(self.name)

    def labelled(self, label: str) -> "TargetInfo":
        """Return it with this id. (`replace` takes four times as long, and a sheet has a thousand cells.)"""
        kind, name, role, rect, _, *others = _fields_of(self)
        return TargetInfo(kind, name, role, rect, label, *others)

    def identified_as(self, target: "TargetInfo") -> "TargetInfo":
        """Return this present state of a control with the id, parent, fingerprint and traits of an earlier one."""
        return replace(self, id=target.id, parent=target.parent, fingerprint=target.fingerprint, traits=target.traits)

    @property
    def describe(self) -> str:
        """A short phrase for messages: `button "Save" [12]`."""
        label = f" [{self.id}]" if self.id else ""
        value = f" with value {quoted(self.value, _LONGEST)}" if self.value else ""
        named = f' "{self.name}"' if self.name else value
        return f"{self.type}{named}{label}"


_fields_of: Final = attrgetter(*(each.name for each in fields(TargetInfo)))

FIELDS: Final = frozenset(
    {
        Role.CHECKBOX,
        Role.COMBOBOX,
        Role.PASSWORD,
        Role.RADIO,
        Role.SLIDER,
        Role.SPINBUTTON,
        Role.SWITCH,
        Role.TEXTBOX,
    }
)
"""The roles of controls that a form is filled with."""


def is_field(control: TargetInfo) -> bool:
    """True for a control of a form that can be filled; those of toolbars are none."""
    around = control.fingerprint.roles_around if control.fingerprint else ()
    return control.type in FIELDS and "read_only" not in control.states and Role.TOOLBAR not in around


def same_window(one: TargetInfo, other: TargetInfo) -> bool:
    """True if two observations show the same window.

    X may reuse the handle of a closed window for a window of another process.
    """
    return one.handle == other.handle and (one.pid is None or other.pid is None or one.pid == other.pid)


@dataclass(slots=True)
class TargetRegistry:
    """The targets listed in one prompt, by id; ids in a reply are resolved only here."""

    targets: dict[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])

    def register(self, target: TargetInfo) -> None:
        self.targets[target.id] = target

    def get(self, target_id: str) -> TargetInfo | None:
        return self.targets.get(target_id)

    def to_list(self) -> list[TargetInfo]:
        return list(self.targets.values())
