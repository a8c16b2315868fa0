"""What toolkits do differently, asked of an application once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    CHECK_BOX,
    CHECKED,
    COMBO_BOX,
    EDITABLE,
    ENABLED,
    EXPANDABLE,
    EXPANDED,
    FOCUSABLE,
    INDETERMINATE,
    LABEL,
    LIST,
    LIST_ITEM,
    MENU,
    MENU_BAR,
    PAGE_TAB,
    PRESSED,
    PUSH_BUTTON,
    RADIO_BUTTON,
    READ_ONLY,
    SELECTED,
    SHOWING,
    STATIC,
    TABLE,
    TABLE_CELL,
    TOGGLE_BUTTON,
    TOOL_TIP,
    TREE,
    TREE_ITEM,
    VISIBLE,
    WINDOW,
)

_CHROMIUM: Final = "Chromium"
_SWING: Final = "J2SE-access-bridge"
_SECOND_OF_TWO: Final = "showContextMenu"
_OFFICE: Final = "soffice"
_GTK: Final = "gtk"
_OWN_PIXELS: Final = frozenset({_GTK, "qt", _CHROMIUM.lower(), _SWING.lower()})
_QT_OF_ALL_STATES: Final = (6, 8)
_TIPPED: Final = frozenset({CHECK_BOX, PUSH_BUTTON, RADIO_BUTTON, TOGGLE_BUTTON})

_VIEWED: Final = frozenset({LIST_ITEM, TABLE_CELL, TREE_ITEM})
_FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD})

_GTK_CLASS: Final = re.compile(r"(?:Gtk|Adw)([A-Z][a-z]+)+")

_TOOLTIP_CLASS: Final = "GtkTooltipWindow"

_MEMORY: Final = re.compile(r" - (?:Memory|High memory) usage - [\d.,]+ [KMGT]?B\Z")


@dataclass(frozen=True)
class Toolkit:
    """What an application is made with, as it says itself; empty where it does not say.

    LibreOffice says that it is of GTK 3, which draws little of it: it is known by the application's own name.
    """

    name: str = ""
    version: str = ""
    application: str = ""

    @cached_property
    def is_gtk3(self) -> bool:
        return self.name == "gtk" and self.version.startswith("3.")

    @cached_property
    def _is_plain_gtk3(self) -> bool:
        return self.is_gtk3 and not self.is_office

    @cached_property
    def is_gtk4(self) -> bool:
        return self.name == "GTK" and self.version.startswith("4.")

    @cached_property
    def is_qt(self) -> bool:
        return self.name == "Qt"

    @cached_property
    def is_chromium(self) -> bool:
        return self.name == "Chromium"

    @cached_property
    def is_swing(self) -> bool:
        """The bridge garbles characters of more than 16 bits, in both directions, and counts them as two."""
        return self.name == _SWING

    @cached_property
    def lists_truly(self) -> bool:
        """Whether the list of all elements is worth asking for.

        In LibreOffice it says that what it draws stands in the window itself: boxes and menu bar would be lost.
        """
        return self._is_plain_gtk3 or self.is_gtk4

    @cached_property
    def lists_children(self) -> bool:
        """Whether elements of that list are children of what they say they stand in.

        In GTK 4 what is on a page of a notebook says that it stands in the page, and is listed beside it.
        """
        return self.is_gtk3

    @property
    def toggles_unheard(self) -> bool:
        """Whether a box that is checked by its action is checked, and its program may not hear of it. In Qt, where tool
        buttons that stay pressed are boxes too: none does its work then.
        """
        return self.is_qt

    @property
    def hides_cut_windows(self) -> bool:
        """Whether a window in another that is not in view as a whole says that it does not show. In Qt."""
        return self.is_qt

    @property
    def only_marks_items(self) -> bool:
        """Whether an item of a list, tree or table that is selected by accessibility is not the current one then.

        Programs of Qt go by that: they turn to its page, or open it.
        """
        return self.is_qt

    @property
    def selects_by_cursor(self) -> bool:
        """Whether a row of a tree gets the cursor, and is selected with it, where a cell takes the keyboard. In GTK 3.

        Selected alone it leaves the cursor where it is, and some programs go by that, as the one that chooses fonts.
        """
        return self._is_plain_gtk3

    @cached_property
    def is_office(self) -> bool:
        return self.application == _OFFICE

    @cached_property
    def tells_windows_elsewhere(self) -> bool:
        """Whether windows are not where they say. Swing tells no place, or one that counts the frame's corner twice."""
        return self.is_swing

    @cached_property
    def names_cells_by_place(self) -> bool:
        """Whether a cell is called `B2`, say, whatever stands in it."""
        return self.is_office

    @cached_property
    def shown(self) -> int:
        """The state bits of which one means that something shows. In GTK 4 only windows say SHOWING."""
        return SHOWING | VISIBLE if self.is_gtk4 else SHOWING

    @cached_property
    def places_in_window(self) -> bool:
        """Whether places are told from the corner of the window. GTK 4 knows no others."""
        return self.is_gtk4

    @cached_property
    def space(self) -> int:
        """From where places are asked for.

        Asked for those on the screen, GTK 4.8 tells those in the window and prints a warning, 4.18 tells a corner of
        (0, 0) for everything.
        """
        return calls.WINDOW if self.places_in_window else calls.SCREEN

    @cached_property
    def leaves_out_padding(self) -> bool:
        """Whether places lack the borders and paddings of what is around them. They do in GTK 4 from 4.10 on."""
        return self.is_gtk4 and not self._is_before_4_10

    @cached_property
    def _is_before_4_10(self) -> bool:
        return re.match(r"4\.\d\b", self.version) is not None

    @cached_property
    def tells_own_pixels(self) -> bool:
        """Whether places are told in pixels of its own, on a scaled display larger than those of the screen."""
        return self.name.lower() in _OWN_PIXELS

    @cached_property
    def scales_whole(self) -> bool:
        """Whether it knows whole scales only. GTK does on X11."""
        return self.name.lower() == _GTK

    @cached_property
    def scales_by_screen(self) -> bool:
        """Whether its pixels count from the corner of each screen. Those of Qt do."""
        return self.is_qt

    @cached_property
    def frames_have_borders(self) -> bool:
        """Whether a window is told with the borders that the window manager draws. GTK 3 does so."""
        return self.scales_whole and not self.is_gtk4

    @cached_property
    def pages_in_pixels(self) -> bool:
        """Whether web pages are told in pixels of the screen, unlike all around them."""
        return self.name == _CHROMIUM

    @cached_property
    def takes_points_in_pixels(self) -> bool:
        """Whether it is asked what is at a point in pixels of the screen, whatever it tells places in."""
        return self.is_chromium

    def may_have_label(self, role: int, name: str) -> bool:
        """Whether a label may give a control its name, or its name may be a label's.

        In GTK 4 and Qt a control says its label's text as a name of its own; but items of a popover of GTK 4.18 leave
        that to their labels. In Qt one without a name has no label, except for combo boxes, which say what is chosen
        instead; a relation takes Qt ten times as long as any other answer.
        """
        if self.is_qt:
            return bool(name) or role == COMBO_BOX
        if self.is_gtk4:
            return True
        return not name

    def may_have_doubled(self, name: str) -> bool:
        """Whether a name may be a label said twice, see `undouble`."""
        plain = name.replace("_", "")
        half = len(plain) // 2
        return self.is_gtk4 and bool(plain) and plain == f"{plain[:half]} {plain[:half]}"

    def may_have_tip(self, role: int, name: str) -> bool:
        """Whether what it is called may be told by its tooltip alone, as of a button that shows an icon.

        What Chromium and LibreOffice have as a name makes use of it already.
        """
        return not name and role in _TIPPED and (self.is_gtk4 or self.is_qt or self.is_swing or self._is_plain_gtk3)

    def may_have_placeholder(self, role: Role, name: str) -> bool:
        """Whether what stands in a field while it is empty may be all that it is called by."""
        return not name and role in _FIELDS and (self.is_gtk4 or self._is_plain_gtk3)

    @cached_property
    def asks_for_places(self) -> bool:
        """Whether the X server is asked where each control is, as by GTK 3: it wants a processor too."""
        return self._is_plain_gtk3

    @cached_property
    def shows_closed_lists(self) -> bool:
        """Whether the list of a closed combo box says that it shows, and only its place tells. In Qt 5 it does."""
        return self.is_qt

    @cached_property
    def leaves_menus_out(self) -> bool:
        """Whether menus that belong to no menu bar are in nobody's list of children. In Qt they are not."""
        return self.is_qt

    @cached_property
    def asks_labels(self) -> bool:
        """Whether a label is asked what it labels. In Swing only it knows; in others what it labels has its words as
        a name already, and would not be asked.
        """
        return self.name == _SWING or self.is_chromium or self.is_office

    @cached_property
    def counts_text(self) -> bool:
        """Whether a text has to be asked for up to its last character. GTK 4 knows no "to the end"."""
        return self.is_gtk4

    @cached_property
    def hides_texts(self) -> bool:
        """Whether a text that is hidden by bullets says that it is one as all others. GTK 4 entries do, which are
        not made for passwords.
        """
        return self.is_gtk4

    @cached_property
    def hides_choice(self) -> bool:
        """Whether what is chosen in a combo box is told by the selection of its list alone, shown or not."""
        return self.is_chromium

    @cached_property
    def frames_popups(self) -> bool:
        """Whether menus are told as frames of their own, without a name."""
        return self.is_chromium

    @cached_property
    def leaves_content_out(self) -> bool:
        """Whether of a window only the bar or dialog in it is told that has the keyboard."""
        return self.is_chromium

    @cached_property
    def scrolls_lists_untold(self) -> bool:
        """Whether what a combo box dropped down stands elsewhere than it is told once it is scrolled, and does not say
        that it shows where it reaches out of its window.
        """
        return self.is_chromium

    @cached_property
    def names_boxes_by_choice(self) -> bool:
        """Whether a combo box that cannot be typed into is called by what is chosen in it, where it can tell that."""
        return self._is_plain_gtk3

    @cached_property
    def hides_parts(self) -> bool:
        """Whether a spin button has a text that is empty whatever it shows. Parts of dates and times of Chromium do."""
        return self.is_chromium

    def takes_keys_alone(self, state: int) -> bool:
        """Whether a spin button in this state takes a number that is typed alone: whatever it says, another is lost."""
        return self.is_office or (self.hides_parts and not state & EDITABLE)

    @cached_property
    def runs_dialogs_in_calls(self) -> bool:
        """Whether an action is done before the next message is read: a modal dialog keeps all others waiting."""
        return self._is_plain_gtk3

    @cached_property
    def tells_late(self) -> bool:
        """Whether it tells of changes and scrolling only a while after they are seen. Chromium does."""
        return self.is_chromium

    @cached_property
    def tells_hits(self) -> bool:
        """Whether what it says is at a point is what a click there meets. GTK 3 and Qt name what stands below too."""
        return self.is_gtk4 or self.is_chromium

    @cached_property
    def tells_hits_late(self) -> bool:
        """Whether what is at a point is answered by places, or as before, and the page asked after that."""
        return self.is_chromium

    @cached_property
    def holds_controls_in_rows(self) -> bool:
        """Whether rows of lists hold controls, which take the clicks that fall on them."""
        return self._is_plain_gtk3 or self.is_gtk4

    @cached_property
    def tells_of_clicks(self) -> bool:
        """Whether anything may stand in anything, as in pages, and says whether it waits for clicks itself."""
        return self.is_chromium

    @cached_property
    def later_is_over(self) -> bool | None:
        """Whether of two parts of a window the later one is painted over the other; in Swing it is the earlier one.

        None where nothing is known of that.
        """
        if self.name == _SWING:
            return False
        return True if (self.is_gtk3 and not self.is_office) or self.is_qt else None

    @cached_property
    def counts_children(self) -> bool:
        """Whether children are counted before they are asked for: a list of very many takes seconds."""
        return self.name in {_CHROMIUM, _SWING}

    def places_children(self, role: int) -> bool:
        """Whether children that are scrolled away have places. In Swing those of tables alone do."""
        return self.name != _SWING or role == TABLE

    def hides_branches(self, role: int) -> bool:
        """Whether what shows may stand below what does not. In trees of Swing a branch is scrolled away alone.

        Its rows are other objects whenever they are looked at, and nobody tells what stands in what.
        """
        return self.name == _SWING and role == TREE

    def leaks_cells(self, role: int) -> bool:
        """Whether each object of a cell costs for as long as the application runs, see `rows`. In tables of Swing."""
        return self.name == _SWING and role == TABLE

    def renews_items(self, role: int) -> bool:
        """Whether an item of such a view is another object whenever it is looked at, and says which one. In Swing."""
        return self.name == _SWING and role in {LIST, TABLE}

    def renews_rows(self, role: int) -> bool:
        """Whether a cell of such a tree is another object whenever it is looked at, as are the heads of its columns.

        In Qt 5, where each says its number, row by row as they are seen, the heads before them.
        """
        return self.is_qt and self.version.startswith("5.") and role == TREE

    def is_flat_head(self, role: int, rect: Rect) -> bool:
        """Whether it is the head of a column that does not say how high it is: as high as what it stands in.

        In Swing, where it is a label, and another object whenever it is looked at.
        """
        return self.name == _SWING and role == LABEL and rect.width > 0 and rect.height == 0

    def is_flat(self, rect: Rect) -> bool:
        """Whether nothing of what has this place can be seen, nor of what stands in it, whatever it says.

        So is what is collapsed in a splitter: no width, or no height. What has neither may not know its place.
        """
        return (self.is_qt or self.is_swing) and (rect.width == 0) is not (rect.height == 0)

    @cached_property
    def cuts_to_views(self) -> bool:
        """Whether nothing is seen outside of the list, pane or table that it stands in.

        In a web page what is positioned is; LibreOffice tells no places of some that others could be held to.
        """
        return self._is_plain_gtk3 or self.is_gtk4 or self.cuts_to_all

    def has_menus_around(self, above: int | None) -> bool:
        """Whether a menu that stands in something of that role has the place of what it opens, not that of its name.

        Long ones are scrolled in there, and go on saying that all of it shows. What a menu or the button of one opens
        is left out between it and its items.
        """
        return self._is_plain_gtk3 and above not in {MENU, MENU_BAR, TOGGLE_BUTTON, WINDOW}

    def scrolls_menus(self, nodes: Mapping[Ref, Node]) -> bool:
        """Whether one of these is an open menu, of which items may be told that are out of view.

        One of a menu bar says that it is selected, one of a combo box or a context menu stands in a window of its own;
        such are the combo boxes of GTK's file chooser in LibreOffice, too.
        """
        if not (self._is_plain_gtk3 or self.is_office):
            return False
        menus = [node for node in nodes.values() if node.role == MENU]
        tops = (nodes.get(menu.parent) if menu.parent else None for menu in menus)
        return any(top is not None and top.role == WINDOW for top in tops) or (
            self._is_plain_gtk3 and any(menu.state & SELECTED for menu in menus)
        )

    @cached_property
    def docks_windows(self) -> bool:
        """Whether a window that stands in another is a part of that: one of Qt's that floats stands beside it."""
        return self.is_qt

    @cached_property
    def cuts_to_all(self) -> bool:
        """Whether nothing is seen outside of whatever it stands in: in Qt and Swing all is cut to what is around it.

        Their panes that scroll do not say that they do.
        """
        return self.is_qt or self.is_swing

    @cached_property
    def shows_what_is_scrolled_away(self) -> bool:
        """Whether what is scrolled out of view says that it shows, so that only its place tells. GTK 4 does."""
        return self.is_gtk4

    @cached_property
    def shows_heads_out_of_view(self) -> bool:
        """Whether heads of columns that are scrolled out of their table say that they show. Those of LibreOffice do."""
        return self.is_office

    def acts(self, role: int) -> bool:
        """Whether actions of that role are worth asking for.

        GTK 4 labels say that they can cut and open links, those of Qt that they can be focused, and texts of a web page
        what is around them can do. Items of a view of Qt say that they can be toggled: that selects, and below an open
        branch another row than theirs. LibreOffice 7.4 crashes where a list in a form is to drop down by its action.
        """
        if self.is_office:
            return role != COMBO_BOX
        if self.is_gtk4 or self.is_qt:
            return role != LABEL and not (self.is_qt and role in _VIEWED)
        return not (self.is_chromium and role == STATIC)

    @cached_property
    def actions_follow_state(self) -> bool:
        """Whether an object of the same role in the same state has the same actions, as in GTK 3 and Qt since 6.8.

        Web pages give and take them at any time; a button of an older Qt that gets a menu says nothing else of it.
        """
        return self.is_gtk3 or self._tells_all_states

    @cached_property
    def _tells_all_states(self) -> bool:
        """Whether buttons say that they can be checked, and that they have a menu. Qt 6.8 does, 6.4 does not."""
        version = re.match(r"(\d+)\.(\d+)\b", self.version)
        return self.is_qt and version is not None and (int(version[1]), int(version[2])) >= _QT_OF_ALL_STATES

    def actions_in(self, said: tuple[str, ...]) -> tuple[str, ...]:
        """The actions that an object lists, nameless where they are to be asked for one by one.

        Chromium's list has no names; of two, the second is always the same.
        """
        return ("", _SECOND_OF_TWO) if self.is_chromium and said == ("", "") else said

    def name_in(self, said: str) -> str:
        """The name that an object says; in GTK 4 those without one say their class."""
        return "" if self.is_gtk4 and _GTK_CLASS.fullmatch(said) else said

    def name_of(self, node: Node, said: str) -> str:
        """The same for a node that is placed. A tab of Chromium adds what memory it uses, which changes by itself.

        In English; in other languages it stays. What a page calls its own tabs is left as it is.
        """
        name = self.name_in(said)
        is_own = self.is_chromium and node.role == PAGE_TAB and not node.in_page
        return _MEMORY.sub("", name) if is_own else name

    def role_in(self, said: int, state: int, name: str) -> int:
        """The role that an object says, in that state and under that name.

        GTK 4 calls a toggle button a push button until 4.10. It says of no other that it is pressed, also while a
        plain one is held down; of one that is not pressed nobody can tell.
        """
        if self.is_gtk4 and self._is_before_4_10 and said == PUSH_BUTTON and state & PRESSED:
            return TOGGLE_BUTTON
        if self.is_gtk4 and name == _TOOLTIP_CLASS:
            return TOOL_TIP
        return said

    @cached_property
    def has_bare_links(self) -> bool:
        """Whether links within a label have neither name nor place of their own, see `complete_links`. In GTK 3."""
        return self._is_plain_gtk3

    @cached_property
    def shows_alone(self) -> bool:
        """Whether what shows may stand in what does not. In Chromium, where each box says so of itself."""
        return self.is_chromium

    def state_in(self, said: int) -> int:
        """The states that an object says.

        Chromium does not say of what is for reading only that it is enabled; what is disabled is not that to it, and
        does not take the keyboard. Qt says of what is partly checked that it is checked, too, and of the leaves of a
        tree that they are expanded.
        """
        said &= ~CHECKED if said & INDETERMINATE else -1
        said &= ~EXPANDED if self.is_qt and not said & EXPANDABLE else -1
        read_only = READ_ONLY | FOCUSABLE
        return said | ENABLED if self.is_chromium and said & read_only == read_only else said

    @cached_property
    def shows_pages_behind(self) -> bool:
        """Whether pages that were in front once go on saying that they show. In GTK 4 they do."""
        return self.is_gtk4

    @cached_property
    def disables_alone(self) -> bool:
        """Whether what stands in something disabled goes on saying that it is enabled. In GTK 4 it does."""
        return self.is_gtk4

    @cached_property
    def focuses_front_tabs(self) -> bool:
        """Whether the tab in front says that it has the keyboard, whatever has it. In Qt it does."""
        return self.is_qt

    @cached_property
    def has_mute_checks(self) -> bool:
        """Whether check items in popovers (`GtkModelButton`) never say that they are checked. In GTK 3 they do not."""
        return self._is_plain_gtk3


class Toolkits:
    """The toolkits of the applications on one bus, kept: a unique bus name is never given to another."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._known: dict[str, Toolkit] = {}

    async def of(self, bus: str, *, deadline_s: float) -> Toolkit:
        """Raises: DesktopGone. An application that does not answer all of it is asked again the next time."""
        if bus in self._known:
            return self._known[bus]
        root = Ref(bus, calls.ROOT_PATH)
        asked = [
            root.get(calls.APPLICATION, "ToolkitName"),
            root.get(calls.APPLICATION, "Version"),
            calls.get_name(root),
        ]
        replies = await self._transport.batch(asked, deadline_s=deadline_s)
        toolkit = Toolkit(*map(calls.text_in, replies))
        if not any(isinstance(reply, DesktopError) for reply in replies):
            self._known[bus] = toolkit
        return toolkit
