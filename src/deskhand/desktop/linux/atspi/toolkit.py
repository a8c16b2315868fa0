"""Toolkits of applications: the hooks by which the reader of trees works around deviations from the specification."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from deskhand.core.errors import DesktopError, TargetDisabled
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, Trait
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed, whole_text
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Post, Reply, Transport
from deskhand.desktop.linux.atspi.draft_controls import Draft
from deskhand.desktop.linux.atspi.focus import leave_one_focus
from deskhand.desktop.linux.atspi.node import Node, Stray, Walk
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labels, take_text, takes_label
from deskhand.desktop.linux.atspi.popups import Popups
from deskhand.desktop.linux.atspi.roles import CHECKABLE, CHECKED, ENABLED, INDETERMINATE, SHOWING, VISIBLE
from deskhand.desktop.linux.atspi.traits import common_traits, page_traits


class Visit(Protocol):
    """Reads further elements into a walk. Returns the reasons for missing elements."""

    async def __call__(self, *, hidden: Sequence[Node] = (), strays: Sequence[Stray] = ()) -> str:
        """`hidden`: those that are invisible, without their children; `strays`: those inside invisible ones."""
        ...


class Visitor(Protocol):
    """Walks a tree; each answer posts the next calls."""

    @property
    def post(self) -> Post: ...

    @property
    def nodes(self) -> Mapping[Ref, Node]:
        """The nodes that were read, parents before children."""
        ...

    def visit(self, node: Node, *, descend: bool = True) -> None:
        """Read a node whose state is known, and with `descend` its children."""
        ...

    def set_aside(self, node: Node) -> None:
        """Record an invisible element that may contain visible ones."""
        ...

    def note(self, ref: Ref, error: DesktopError) -> None:
        """Record that an object was not read."""
        ...

    def keep(self, node: Node) -> None:
        """Add a node that was read."""
        ...

    def lack(self, why: str) -> None:
        """Record why the walk is not complete."""
        ...

    def view_of(self, container: Node) -> Rect:
        """Return the visible part of a container."""
        ...

    def adopt(
        self, node: Node, children: Sequence[Ref], *, order: Sequence[Ref] | None = None, descend: bool = True
    ) -> None:
        """Give a node these children and visit those that are visible, in `order` if that is given."""
        ...

    def look_at_all(self, node: Node, count: int) -> None:
        """Read the children of a node: all of them, or of very many those in view."""
        ...

    def look_at_points(self, node: Node, *, one_column: bool = False) -> None:
        """Read the children that are found at points of a node; with `one_column` one in each row, without its own."""
        ...


Ask: TypeAlias = Callable[[Sequence[Call]], Awaitable[list[Reply]]]
"""Sends calls at once and returns the replies."""


class Toolkit:
    """Neutral answers: an application that follows the specification. Each owner overrides those that differ."""

    # ---- the list of all elements

    has_complete_list = False
    """The list of all elements holds each element that is visible, so that it is worth asking for."""

    lists_children = False
    """The parents given in that list are the ones that have the elements as children."""

    # ---- states, roles, names

    shown = SHOWING
    """State bits any of which makes an element visible."""

    selects_open_menus = False
    """A menu of a menu bar is open if and only if it reports SELECTED."""

    asks_states_above = False
    """The states of an element follow from those of its ancestors."""

    # ---- coordinates

    places_in_window = False
    """Extents count from the corner of the window; there are none on the screen."""

    space = calls.SCREEN
    """The coordinate space in which extents are requested."""

    tells_own_pixels = False
    """Extents are in logical pixels, which are larger than physical ones on a scaled display."""

    scales_whole = False
    """Scales are whole numbers."""

    scales_by_screen = False
    """Logical pixels count from the corner of each screen."""

    frames_have_borders = False
    """The extents of a window include the borders drawn by the window manager."""

    tells_windows_elsewhere = False
    """The extents of windows are missing or wrong."""

    tells_menu_items_elsewhere = False
    """The extents of items of a menu that is drawn into its window are wrong."""

    pages_in_pixels = False
    """Extents in web pages are in physical pixels, unlike those around them."""

    takes_points_in_pixels = False
    """Hit tests take points in physical pixels, whichever pixels extents are in."""

    asks_for_places = False
    """The application asks the X server for the extents of each control, which needs a processor too."""

    # ---- visible parts

    cuts_to_views = False
    """Nothing is visible outside of the list, pane or table that contains it."""

    cuts_to_all = False
    """Nothing is visible outside of any element that contains it. Scrolled panes do not report that they scroll."""

    docks_windows = False
    """A window inside another is a part of it; a floating one is its sibling."""

    hides_unplaced_views = False
    """The extents inside a view that has none are left over from before, or from nothing."""

    shows_what_is_scrolled_away = False
    """An element that is scrolled out of view reports SHOWING; only its place shows that it is not visible."""

    shows_heads_out_of_view = False
    """Column headers that are scrolled out of their table report SHOWING."""

    # ---- menus and popups

    leaves_menus_out = False
    """Menus that belong to no menu bar are children of no element."""

    frames_popups = False
    """Menus are exposed as top-level frames without a name."""

    has_mute_popups = False
    """A popup may expose nothing but its boxes."""

    scrolls_lists_untold = False
    """Items of an open combo box are exposed at places from before it was scrolled, and those that reach out of the
    window do not report SHOWING."""

    # ---- names and texts

    names_cells_by_place = False
    """A cell is named by its address, such as `B2`, whatever it contains."""

    shortens_selections = False
    """The end of a selection behind such a character is reported too low; the caret is right."""

    # ---- children

    renews_heads = False
    """The header of a column is a new object each time and reports its index."""

    renews_items_in: frozenset[int] = frozenset()
    """Roles of views whose items are new objects each time and report their index."""

    renews_rows_in: frozenset[int] = frozenset()
    """Roles of trees whose cells and column headers are new objects each time and report their index."""

    hides_branches_in: frozenset[int] = frozenset()
    """Roles of trees in which visible rows may be inside invisible ones, and are new objects each time."""

    counts_children = False
    """A list of very many children takes seconds, so that they are counted first."""

    # ---- actions

    lacks_actions: frozenset[int] = frozenset()
    """Roles of elements whose actions do nothing useful, or harm."""

    unnamed_actions: Mapping[tuple[str, ...], tuple[str, ...]] = {}
    """Names of actions that are listed without one. Those not found here are requested one by one."""

    actions_follow_state = False
    """An object of the same role in the same state has the same actions."""

    # ---- changes and hit tests

    tells_late = False
    """Changes and scrolling are reported a while after they are painted, and so is the object at a point."""

    exposes_ids = False
    """A control for which it reports no id has none; without this, it may have one that is not reported."""

    tells_hits = False
    """The object reported at a point is the one that a click there reaches."""

    holds_controls_in_rows = False
    """Rows of lists contain controls, which take the clicks on them."""

    tells_of_clicks = False
    """Anything may contain anything, and reports itself if it takes clicks."""

    later_is_over: bool | None = None
    """The later of two siblings is painted over the earlier one, or the earlier over the later; None: unknown."""

    def __init__(self, name: str = "", version: str = "", application: str = "") -> None:
        """`name` and `version`: of the toolkit; `application`: the name of the program. Empty if not exposed."""
        self.name = name
        self.version = version
        self.application = application

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        """True if an application that reports these is one of this toolkit."""
        return (name, version, application) == ("", "", "")

    def state_in(self, said: int) -> int:
        """Return the states of an object that reports `said`: a partly checked one is not checked."""
        return said & ~CHECKED if said & INDETERMINATE else said

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        """Visit a child of `above` that is visible though it does not report SHOWING."""

    def is_away(self, node: Node, above: Node) -> bool:
        """True if a child of `above` is not visible though it reports SHOWING. Corrects its role and extents before."""
        del node, above
        return False

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """Return requests for further names of a node; for one without a name its labels."""
        del visitor
        return () if node.name or not takes_label(node) else (ask_labels(node),)

    async def container_of(
        self, content: Ref, child: Ref, told: Ref, transport: Transport, deadline_s: float
    ) -> Ref | None:
        """Return the parent of the content of a window, which reports `told`; None if it does not contain `child`.

        Raises: ElementStale, DesktopGone.
        """
        del content, child, transport, deadline_s
        return told

    def is_placed_by_others(self, target: TargetInfo) -> bool:
        """True if the extents of a control follow from others, so that its window has to be read."""
        del target
        return False

    def read_children(self, node: Node, count: int, visitor: Visitor) -> bool:
        """Read the children of a node that has `count` of them. Return False to have them read as usual."""
        del node, count, visitor
        return False

    def read_cells(self, table: Node, cells: Sequence[Node], renew: frozenset[Ref], visitor: Visitor) -> None:
        """Read the visible cells of a spreadsheet.

        `cells`: those of the last walk, if the table is where it was; of these `renew` are read again.
        """

    def has_formula(self, attributes: Reply) -> bool:
        """True for a cell of a spreadsheet with these attributes that holds a formula."""
        del attributes
        return False

    async def complete_cell(
        self,
        node: Node,
        table: Ref,
        place: tuple[int, int],
        read: Callable[[Ref], Awaitable[Node]],
        transport: Transport,
        deadline_s: float,
    ) -> None:
        """Correct state and extents of a cell of a spreadsheet that was read by itself; `read`: reads an object.

        Raises: ElementStale, ApplicationGone, ApplicationUnresponsive; TargetHidden (its place is not known).
        """

    async def correct_cells(self, table: Ref, texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, str]:
        """Return those cells of a table whose text was reported wrong, with the right one.

        Raises: ActionRefused if some are not the requested cells.
        """
        del table, texts, ask
        return {}

    async def read_block(self, table: Ref, rows: range, columns: range, ask: Ask) -> tuple[tuple[str, ...], ...] | None:
        """Return the texts of a block of a table, if they are not read cell by cell.

        Raises: ActionRefused (the application refuses), ElementStale, ApplicationGone.
        """
        del table, rows, columns, ask
        return None

    async def show_named(self, deed: Deed, container: Ref, name: str) -> bool:
        """Have the application scroll to the item of that name. Return False if none has it. Raises: as `Deed`."""
        del deed, container, name
        return False

    async def correct_paragraphs(self, texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, str]:
        """Return those paragraphs whose text contains more than is written there, with the right one."""
        del texts, ask
        return {}

    async def checks_in(self, cells: Sequence[Ref], ask: Ask) -> dict[Ref, bool]:
        """Return the check boxes among cells without a text, with True for checked ones."""
        replies = await ask([calls.get_state(ref) for ref in cells])
        states = {ref: self.state_in(calls.bits_in(reply)) for ref, reply in zip(cells, replies, strict=True)}
        return {ref: bool(state & CHECKED) for ref, state in states.items() if state & (CHECKED | CHECKABLE)}

    def ask_text(self, node: Node, visitor: Visitor) -> Request:
        """Return the call that requests the text of a node, and a function that takes the reply."""
        del visitor
        return calls.get_text(node.ref), take_text

    async def read_text(self, deed: Deed, ref: Ref, role: int, described: str) -> str:
        """Return the whole text of an object, "" for hidden ones.

        Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone.
        """
        del role, described
        return await whole_text(deed, ref)

    async def require_text(self, deed: Deed, ref: Ref, text: str, described: str) -> None:
        """Raises: ActionRefused if setting this text would store another one, or none; else as `Deed`."""

    async def require_action(self, deed: Deed, ref: Ref, role: int, state: int, described: str) -> None:
        """Raises: TargetDisabled; NotOffered if the actions of an object do less than a click; else as `Deed`."""
        del deed, ref, role
        if not state & ENABLED:
            raise TargetDisabled(f"{described} is disabled.", fix="Find out what enables it.")

    async def select_in_table(
        self, deed: Deed, ref: Ref, is_selected: Callable[[], Awaitable[bool]], described: str
    ) -> bool:
        """Select an item of a table in a way of the toolkit's own. Return False to have it selected as usual.

        `is_selected`: waits for the item to report SELECTED.

        Raises: ActionRefused if no way has the effect of a click, else as `Deed`.
        """
        del deed, ref, is_selected, described
        return False

    async def part_to_hit(self, ref: Ref, role: Role, place: Rect, ask: Ask) -> Rect | None:
        """Return the part of a control's extents that takes clicks, None for all of it.

        Raises: ApplicationUnresponsive, ApplicationGone, DesktopGone.
        """
        del ref, role, place, ask
        return None

    async def extend(self, walk: Walk, frame: Ref, visit: Visit, transport: Transport, *, deadline_s: float) -> str:
        """Read the visible elements that the walk from `frame` did not reach. Return the reasons for missing ones.

        Raises: DesktopGone.
        """
        del walk, frame, visit, transport, deadline_s
        return ""

    async def prepare(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        """Remove invisible elements from a whole walk and name others by their content. Raises: DesktopGone."""

    async def complete(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        """Correct names, states and roles, and add missing ones, once labels are known. Raises: DesktopGone."""

    def leave_focus(self, drafts: Mapping[Ref, Draft]) -> None:
        """Leave the state "focused" to the control that receives keys."""
        leave_one_focus(drafts)

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        """Return the traits of a control."""
        return common_traits(node, role, print_) | page_traits(role, print_)

    async def find_menus(
        self, nodes: Sequence[Node], popups: Sequence[Rect], transport: Transport, *, deadline_s: float
    ) -> list[Ref]:
        """Return the menus displayed at `popups` that are children of no element. Raises: DesktopGone."""
        del nodes, popups, transport, deadline_s
        return []

    def keep_to_frames(self, nodes: dict[Ref, Node], frames: Mapping[Ref, Rect]) -> dict[Ref, Node]:
        """Return the nodes without those scrolled out of the X windows of nameless frames, whose places are given.

        All are in physical pixels, parents before children.
        """
        del frames
        return nodes

    def place_dropped(self, nodes: Mapping[Ref, Node], lists: Sequence[Ref], popups: Popups) -> None:
        """Correct the items of open combo boxes, in physical pixels, parents before children."""

    def place(self, walk: Walk) -> frozenset[Ref]:
        """Correct extents, before they are cut to their visible parts. Return the elements that are not visible."""
        del walk
        return frozenset()

    def confine(self, walk: Walk) -> frozenset[Ref]:
        """Correct a walk once its extents are cut. Return the elements that are not visible."""
        del walk
        return frozenset()

    def identify(self, role: int, state: int, name: str) -> tuple[int, str]:
        """Return role and name of an object that reports these and has these states."""
        del state
        return role, name

    def name_of(self, node: Node, said: str) -> str:
        """Return the name of a node whose place in the tree is known and which reports `said`."""
        del node
        return said

    def takes_keys_alone(self, state: int) -> bool:
        """True if a spin button in this state takes typed numbers only and loses any other."""
        del state
        return False

    def has_menus_around(self, above: int | None) -> bool:
        """True if a menu inside an element of that role has the extents of its items, not of its name."""
        del above
        return False

    def scrolls_menus(self, nodes: Mapping[Ref, Node]) -> bool:
        """True if one of these is an open menu, whose items may be exposed though they are scrolled away."""
        del nodes
        return False


class Toolkits:
    """The toolkits of the applications on one bus, cached: a unique bus name is never given to another."""

    def __init__(self, transport: Transport, owners: Sequence[type[Toolkit]]) -> None:
        """`owners`: the toolkits that differ; the first that owns an application is taken."""
        self._transport = transport
        self._owners = owners
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
        told = [calls.text_in(reply) for reply in replies]
        toolkit = next((each for each in self._owners if each.owns(*told)), Toolkit)(*told)
        if not any(isinstance(reply, DesktopError) for reply in replies):
            self._known[bus] = toolkit
        return toolkit


def visit_if_content_shows(node: Node, visitor: Visitor) -> None:
    """Visit a node that does not report SHOWING, as a visible one, if one of its children reports it."""

    def take_children(replies: list[Reply]) -> None:
        if inside := calls.refs_in(replies[0]):
            visitor.post([calls.get_state(ref) for ref in inside], take_states)

    def take_states(states: list[Reply]) -> None:
        if any(calls.has_bits(state) and calls.bits_in(state) & SHOWING for state in states):
            node.state |= SHOWING | VISIBLE
            visitor.visit(node)

    visitor.post([calls.get_children(node.ref)], take_children)
