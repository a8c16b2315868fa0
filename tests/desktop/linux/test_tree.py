"""What a walk asks an application for, and what it makes of applications that do not answer."""

import gc
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import anyio
import pytest

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    DesktopGone,
    ElementStale,
    NotOffered,
    TargetDisabled,
)
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.actions import Actor
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import BUS, Body, Call, Post, Reply, Signal, late
from deskhand.desktop.linux.atspi.coordinates import Places, move_to_screen
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.mapping import controls_of, target_of
from deskhand.desktop.linux.atspi.node import CELL_LIMIT, TEXT_KEPT, TEXT_LIMIT
from deskhand.desktop.linux.atspi.popups import Popups
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.atspi.roles import (
    CALENDAR,
    CHECKED,
    COMBO_BOX,
    DEFUNCT,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_WEB,
    EDITABLE,
    ENABLED,
    FOCUSABLE,
    FOCUSED,
    LIST,
    MANAGES_DESCENDANTS,
    PAGE_TAB_LIST,
    PRESSED,
    PUSH_BUTTON,
    READ_ONLY,
    SELECTED,
    SHOWING,
    TOGGLE_BUTTON,
    VISIBLE,
)
from deskhand.desktop.linux.atspi.tables import Tables
from deskhand.desktop.linux.atspi.toolkit import Toolkits
from deskhand.desktop.linux.atspi.traversal import DEPTH_LIMIT, LIST_LIMIT, MANY, NODE_LIMIT
from deskhand.desktop.linux.toolkits.gtk4.hooks import Gtk4
from deskhand.desktop.linux.toolkits.libreoffice.hooks import LibreOffice
from deskhand.desktop.linux.wiring import OWNERS
from deskhand.desktop.notifier import Pulse

FRAME, LABEL, LIST_ITEM, MENU, MENU_BAR, PAGE_TAB, PANEL, PASSWORD, TABLE, CELL, ENTRY = (
    23,
    29,
    32,
    33,
    34,
    37,
    39,
    40,
    55,
    56,
    79,
)
PARAGRAPH = 73
BUTTON, ROOT_PANE, SLIDER, SPIN_BUTTON, STATIC, APPLICATION, MENU_ITEM = (43, 46, 51, 52, 116, 75, 35)
TABLE_CALLS = {"GetAccessibleAt"}
MATCHES = {"GetMatches"}
ROOT = Ref(":1.1", "/frame")
CACHE = "/org/a11y/atspi/cache"
WRONG_SHAPES: list[Body] = [
    [],
    [7],
    ["x"],
    [[7]],
    [[[2]]],
    [[[2, 7]]],
    [[[2, [7]]]],
    [[["x", ["y"]]]],
    [{"a": 1}],
]


@dataclass
class FakeObject:
    """One accessible object; `count` is what it says of its children where that differs from what it lists.

    A child is a path, or one of another application: its bus name, a blank, its path. `above` is what it calls its
    parent, `place` is left, top, width and height, `cells` is the one row of a table, `chosen` what is selected in it,
    `index` its number in what it stands in.
    """

    role: int
    name: str = ""
    state: int = SHOWING | ENABLED
    children: Sequence[str] = ()
    text: str | None = None
    shown: str = ""
    count: int | None = None
    above: str = ""
    relations: Sequence[object] = ()
    actions: Sequence[str] = ()
    label_for: Sequence[str] = ()
    number: float | None = None
    place: tuple[int, int, int, int] = (0, 0, 10, 10)
    cells: Sequence[str] = ()
    chosen: Sequence[str] | None = None
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])
    index: int = -1


NOTHING, REFUSED = "(nothing)", "(refused)"
"""What a text shows: none of it, or it does not say."""


def _shown(it: FakeObject) -> str | None:
    return "" if it.shown == NOTHING else it.shown or it.text


class Endless(dict[str, FakeObject]):
    """Below each object that is not known stand so many more."""

    def __init__(self, width: int) -> None:
        super().__init__({"/frame": FakeObject(FRAME, "Window", children=["/p"])})
        self._width = width

    def __missing__(self, path: str) -> FakeObject:
        return FakeObject(CELL, path[:9], children=[f"{path}/{number}" for number in range(self._width)])


@dataclass
class FakeApplication:
    """A transport to one application in memory. After `patience` calls it does what `then` says.

    `toolkit` is what it says that it is made with, and of which version; `name` and `windows` are its own; `listed` are
    the paths that its list of all elements has, `awake` is how its answers were waited for last.
    """

    objects: dict[str, FakeObject]
    patience: int = 1_000_000
    then: Callable[[], DesktopError] | None = None
    asked: list[Call] = field(default_factory=list[Call])
    toolkit: tuple[str, str] = ("", "")
    name: str = ""
    windows: Sequence[str] = ("/frame",)
    listed: Sequence[str] = ()
    awake: bool | None = None

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        (reply,) = await self.batch([call], deadline_s=deadline_s)
        if isinstance(reply, DesktopError):
            raise reply
        return reply

    async def batch(self, asked: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        await anyio.lowlevel.checkpoint()
        return [await self._answer(call) for call in asked]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float, awake: bool = True) -> str:
        self.awake = awake
        posted: deque[tuple[Sequence[Call], Callable[[list[Reply]], None]]] = deque()
        begin(lambda asked, then: posted.append((asked, then)))
        with anyio.move_on_after(deadline_s):
            while posted:
                asked, then = posted.popleft()
                then(await self.batch(asked, deadline_s=deadline_s))
            return ""
        return late(deadline_s)

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """It is near."""

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """No signals."""

    async def close(self) -> None:
        """Nothing to close."""

    async def _answer(self, call: Call) -> Reply:
        if call.destination == BUS:
            return ActionRefused("no process has it")
        if call.path == calls.ROOT_PATH:
            if call.member == "Get" and call.body[1] in {"ToolkitName", "Version"}:
                return [self.toolkit[call.body[1] == "Version"]]
            return self._reply(call, FakeObject(APPLICATION, self.name, state=0, children=self.windows))
        self.asked.append(call)
        if len(self.asked) > self.patience:
            if self.then:
                return self.then()
            await anyio.sleep_forever()
        if call.path == CACHE:
            return [[self._item(path) for path in self.listed]]
        return self._reply(call, self.objects[call.path])

    def _item(self, path: str) -> Sequence[object]:
        it, null = self.objects[path], ["", calls.NULL_PATH]
        own = [ROOT.bus, path]
        interfaces, state = [
            body[0]
            for member in ("GetInterfaces", "GetState")
            if not isinstance(body := self._reply(Call(ROOT.bus, path, "", member), it), DesktopError)
        ]
        return [own, null, null, 0, len(it.children), interfaces, it.name, it.role, "", state]

    def _reply(self, call: Call, it: FakeObject) -> Reply:
        has_text = it.text is not None
        answers: dict[str, Body | None] = {
            "GetState": [[it.state & 0xFFFFFFFF, it.state >> 32]],
            "GetRole": [it.role],
            "Name": [it.name],
            "ChildCount": [len(it.children) if it.count is None else it.count],
            "GetChildren": [[path.split(" ") if " " in path else [ROOT.bus, path] for path in it.children]],
            "Parent": [[ROOT.bus, it.above]],
            "GetMatches": [[[ROOT.bus, path] for path in self._showing_below(it)]] if call.member in MATCHES else None,
            "GetInterfaces": [
                [calls.TEXT] * has_text
                + [calls.EDITABLE_TEXT] * (it.role == ENTRY)
                + [calls.ACTION] * bool(it.actions)
                + [calls.VALUE] * (it.number is not None)
                + [calls.TABLE] * bool(it.cells)
                + [calls.SELECTION] * (it.chosen is not None)
            ],
            "CurrentValue": [it.number],
            "GetAttributes": [dict(it.attributes)],
            "GetIndexInParent": [it.index],
            "NRows": [1],
            "NColumns": [len(it.cells)],
            "GetAccessibleAt": [[ROOT.bus, it.cells[int(str(call.body[1]))]]] if call.member in TABLE_CALLS else None,
            "GetChildAtIndex": [[ROOT.bus, it.children[0]]] if it.children else None,
            "GetSelectedChild": [[ROOT.bus, it.chosen[0]]] if it.chosen else None,
            "GetActions": [[(name, "", "") for name in it.actions]],
            "GetName": ["unnamed"],
            "DoAction": [True],
            "GetExtents": [list(it.place)],
            "GetText": [self._text(it.text, call)] if has_text else None,
            "GetStringAtOffset": None if it.shown == REFUSED or not has_text else [_shown(it), 0, len(it.text or "")],
            "CharacterCount": [len(it.text or "")] if has_text else None,
            "GetRelationSet": [
                it.relations or [[calls.LABEL_FOR, [[ROOT.bus, path] for path in it.label_for]]] * bool(it.label_for)
            ],
        }
        member = str(call.body[1]) if call.member == "Get" else call.member
        return answers.get(member) or ActionRefused(f"no {member}")

    def _showing_below(self, it: FakeObject) -> list[str]:
        inside = [(path, self.objects[path]) for path in it.children]
        return [
            found
            for path, each in inside
            for found in ([path] * bool(each.state & SHOWING) + self._showing_below(each))
        ]

    def _text(self, text: str | None, call: Call) -> str:
        """GTK 4 gives nothing "to the end"; the others do."""
        end = call.body[1] if call.member == "GetText" else 0
        assert isinstance(end, int)
        return (text or "")[: (0 if self.toolkit[0] == "GTK" else None) if end < 0 else end]

    def members(self, path: str) -> set[str]:
        """What was asked of one object."""
        return {str(call.body[1]) if call.member == "Get" else call.member for call in self.asked if call.path == path}


def reader_of(app: FakeApplication) -> TreeReader:
    return TreeReader(app, Toolkits(app, OWNERS), Telling(app))


def actor_of(app: FakeApplication) -> Actor:
    return Actor(app, Toolkits(app, OWNERS), Pulse())


def tables_of(app: FakeApplication) -> Tables:
    return Tables(app, Toolkits(app, OWNERS))


async def test_nothing_below_what_is_hidden_is_asked_for() -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", state=ENABLED, children=["/seen", "/hidden"]),
            "/seen": FakeObject(PANEL, "Seen"),
            "/hidden": FakeObject(PANEL, "Hidden", state=ENABLED, children=["/below"]),
            "/below": FakeObject(PANEL, "Below"),
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "Seen"]
    assert app.members("/hidden") == {"GetState"}
    assert app.members("/below") == set()


@pytest.mark.parametrize(
    ("toolkit", "state", "asked"),
    [(("gtk", "3.24"), 0, False), (("gtk", "3.24"), SELECTED, True), (("Qt", "6.8"), 0, True)],
)
async def test_what_is_in_a_closed_menu_of_a_menu_bar_is_not_asked_for_in_gtk_3(
    toolkit: tuple[str, str], state: int, asked: bool
) -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/bar", "/alone"]),
            "/bar": FakeObject(MENU_BAR, "Bar", children=["/menu"]),
            "/menu": FakeObject(MENU, "File", state=SHOWING | state, children=["/item"]),
            "/item": FakeObject(BUTTON, "Save"),
            "/alone": FakeObject(MENU, "Of a combo box", children=["/choice"]),
            "/choice": FakeObject(BUTTON, "First"),
        },
        toolkit=toolkit,
        name="soffice",
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert ("Save" in [node.name for node in walk.nodes.values()]) is asked
    assert bool(app.members("/item")) is asked
    assert "First" in [node.name for node in walk.nodes.values()]


@pytest.mark.requires("desktop.manages-descendants")
@pytest.mark.parametrize(("count", "asked"), [(2**31 - 1, False), (-1, False), (MANY + 1, False), (MANY, True)])
async def test_a_container_that_manages_its_children_is_asked_how_many_before_which(count: int, asked: bool) -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/sheet"]),
            "/sheet": FakeObject(TABLE, "Sheet", state=SHOWING | MANAGES_DESCENDANTS, children=["/cell"], count=count),
            "/cell": FakeObject(PANEL, "Cell"),
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert ("GetChildren" in app.members("/sheet")) is asked
    assert ("Cell" in [node.name for node in walk.nodes.values()]) is asked


async def test_a_cell_that_has_the_keyboard_leaves_it_to_no_shape_field_button_or_input_line() -> None:
    focused = SHOWING | FOCUSED
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/bold", "/line", "/document"]),
        "/bold": FakeObject(BUTTON, "Bold", state=focused),
        "/line": FakeObject(PARAGRAPH, "Line", state=focused, text="5"),
        "/document": FakeObject(DOCUMENT_SPREADSHEET, "Sheets", children=["/table", "/note", "/shape", "/field"]),
        "/field": FakeObject(ENTRY, "Field", state=focused),
        "/table": FakeObject(TABLE, "Sheet", state=focused, children=["/cell"]),
        "/cell": FakeObject(CELL, "A1", state=focused),
        "/note": FakeObject(PANEL, "Callout", state=focused),
        "/shape": FakeObject(PANEL, "Shape", state=focused | SELECTED),
    }

    async def focused_now() -> list[str]:
        walk = await reader_of(FakeApplication(objects, name="soffice")).walk([ROOT], deadline_s=5)
        found = controls_of(walk.nodes, ROOT, "Window", toolkit=LibreOffice())
        return [control.name for control in found if "focused" in control.states]

    assert await focused_now() == ["Sheet", "A1", "Shape"]
    objects["/cell"].state = objects["/table"].state = SHOWING
    assert await focused_now() == ["Bold", "Line", "Callout", "Shape", "Field"]


async def test_a_tab_with_neither_name_nor_place_is_left_out() -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/one", "/none", "/out"]),
            "/one": FakeObject(PAGE_TAB, "Numbers", state=SHOWING | SELECTED),
            "/none": FakeObject(PAGE_TAB, state=SHOWING | SELECTED, place=(-1, -1, -1, -1)),
            "/out": FakeObject(PAGE_TAB, "Scrolled away", place=(-1, -1, -1, -1)),
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [control.name for control in controls_of(walk.nodes, ROOT, "Window")] == ["Numbers", "Scrolled away"]


async def test_a_check_box_without_a_width_and_the_words_beside_it_are_one_item_of_a_list() -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", place=(0, 0, 300, 100), children=["/list"]),
            "/list": FakeObject(TABLE, "Allow", children=["/on", "/one", "/off", "/two"], place=(0, 0, 300, 100)),
            "/on": FakeObject(CELL, state=SHOWING | CHECKED, actions=["Toggle", "Edit"], place=(20, 0, 0, 20)),
            "/one": FakeObject(CELL, "Insert rows", actions=["Edit"], place=(25, 0, 200, 20)),
            "/off": FakeObject(CELL, actions=["Toggle", "Edit"], place=(20, 20, 0, 20)),
            "/two": FakeObject(CELL, "Delete rows", actions=["Edit"], place=(25, 20, 200, 20)),
        },
        toolkit=("gtk", "3.24"),
        name="soffice",
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    items = [control for control in controls_of(walk.nodes, ROOT, "Window") if control.name.endswith("rows")]
    assert [(item.handle, item.name, "checked" in item.states) for item in items] == [
        (Ref(ROOT.bus, "/on").handle, "Insert rows", True),
        (Ref(ROOT.bus, "/off").handle, "Delete rows", False),
    ]
    assert all("checkable" in item.states and item.rect.width == 225 for item in items)


async def test_a_password_is_never_asked_for() -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/name", "/secret"]),
            "/name": FakeObject(ENTRY, "Name", text="visible"),
            "/secret": FakeObject(PASSWORD, "Secret", text="xyzzy"),
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.text for node in walk.nodes.values()] == ["", "visible", ""]
    assert "GetText" not in app.members("/secret")


@pytest.mark.requires("observe.roles")
@pytest.mark.parametrize("toolkit", [("Qt", "5.15.8"), ("Qt", "6.8.3"), ("J2SE-access-bridge", "1.0")])
async def test_what_is_collapsed_to_no_width_or_height_is_not_seen_in_qt_and_swing(toolkit: tuple[str, str]) -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/left", "/right", "/below", "/nowhere"]),
            "/left": FakeObject(BUTTON, "Left"),
            "/right": FakeObject(PANEL, "Right", place=(10, 0, 0, 10), children=["/in"]),
            "/in": FakeObject(BUTTON, "In the right", place=(10, 0, 9, 9)),
            "/below": FakeObject(BUTTON, "Below", place=(0, 10, 10, 0)),
            "/nowhere": FakeObject(BUTTON, "Nowhere", place=(0, 0, 0, 0)),
        },
        toolkit=toolkit,
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "Left", "Nowhere"]
    right = await reader_of(app).read(Ref(ROOT.bus, "/right"), deadline_s=5)
    assert (right.name, right.rect.empty) == ("Right", True)


PAGE = 95


class Late(FakeApplication):
    """A page whose parts stand elsewhere than it says, until so many calls after it was asked what is at a point."""

    after: int = 0
    waits: bool = False

    async def _answer(self, call: Call) -> Reply:
        if call.member == "GetAccessibleAtPoint":
            self.waits = True
            return [[ROOT.bus, "/page"]]
        self.after -= self.waits
        if self.after < 0:
            for it in self.objects.values():
                if it.role == BUTTON:
                    it.place = (it.place[0], it.place[1], 20, 20)
        return await super()._answer(call)


def late_page(after: int) -> Late:
    buttons = {
        f"/b{number}": FakeObject(BUTTON, f"Button {number}", place=(0, 30 * number, 10, 10)) for number in range(9)
    }
    page = FakeObject(PAGE, "Page", children=[*buttons], place=(0, 0, 500, 500))
    frame = FakeObject(FRAME, "Window", children=["/page"], place=(0, 0, 500, 500))
    app = Late({"/frame": frame, "/page": page, **buttons}, toolkit=("Chromium", "156"))
    app.after = after
    return app


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("after", [0, 3, 9, 20, 40])
async def test_a_page_is_asked_to_tell_what_it_shows_and_read_again_where_it_told_meanwhile(after: int) -> None:
    app = late_page(after)
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.rect.width for node in walk.nodes.values() if node.role == BUTTON] == [20] * 9


class Scrolled(Late):
    """A page of two buttons, of which the other one shows once it told. The places are as they will be all the time."""

    async def _answer(self, call: Call) -> Reply:
        if self.after <= 0:
            self.objects["/b0"].state, self.objects["/b1"].state = ENABLED, SHOWING | ENABLED
        return await super()._answer(call)


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("after", [0, 2, 4, 6, 8, 10, 12])
async def test_a_page_that_told_what_shows_between_states_and_places_is_read_again(after: int) -> None:
    buttons = {"/b0": FakeObject(BUTTON, "Before"), "/b1": FakeObject(BUTTON, "After", state=ENABLED)}
    page = FakeObject(PAGE, "Page", children=[*buttons], place=(0, 0, 500, 500))
    frame = FakeObject(FRAME, "Window", children=["/page"], place=(0, 0, 500, 500))
    app = Scrolled({"/frame": frame, "/page": page, **buttons}, toolkit=("Chromium", "156"))
    app.after = after
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert app.after <= 0, "it told while it was read"
    assert [node.name for node in walk.nodes.values() if node.role == BUTTON] == ["After"]


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("after", [0, 3])
async def test_a_page_that_is_known_is_asked_to_tell_before_one_of_its_parts_is_read(after: int) -> None:
    app = late_page(10_000)
    reader = reader_of(app)
    await reader.walk([ROOT], deadline_s=5)
    app.after, app.waits = after, False
    assert (await reader.read(Ref(ROOT.bus, "/b3"), deadline_s=5)).rect.width == 20


TREE, COLUMN_HEADER = 65, 57


@pytest.mark.requires("identity.by-branch")
@pytest.mark.parametrize(("version", "same"), [("5.15.8", True), ("6.8.3", False)])
async def test_heads_and_cells_of_trees_that_qt_5_makes_anew_are_the_same_at_the_next_look(
    version: str, same: bool
) -> None:
    def children_at(look: int) -> dict[str, FakeObject]:
        heads = {f"/{look}/h{n}": FakeObject(COLUMN_HEADER, f"Head {n}", index=n) for n in range(2)}
        places = {n: (20 * (n == 4) if n % 2 == 0 else 90, 20 * (n // 2), 80, 20) for n in range(2, 8)}
        names = ["Sales", "1", "2026", "1", "Research", "1"]
        cells = {f"/{look}/c{n}": FakeObject(CELL, name, index=n, place=places[n]) for n, name in enumerate(names, 2)}
        return heads | cells

    app = FakeApplication({}, toolkit=("Qt", version))
    reader, looks = reader_of(app), list[list[Ref]]()
    for look in range(2):
        children = children_at(look)
        tree = FakeObject(TREE, state=SHOWING | ENABLED | MANAGES_DESCENDANTS, children=list(children), cells=["", ""])
        tree.place = (0, 0, 200, 200)
        app.objects = {"/frame": FakeObject(FRAME, "Window", children=["/tree"]), "/tree": tree, **children}
        looks.append(list((await reader.walk([ROOT], deadline_s=5)).nodes))
    assert len(set(looks[0])) == len(looks[0]) == 10
    assert (looks[0] == looks[1]) is same


@pytest.mark.requires("observe.roles")
@pytest.mark.parametrize("having", [0, FOCUSED])
@pytest.mark.parametrize("version", ["5.15.8", "6.8.3"])
async def test_a_tab_of_qt_in_front_is_selected_and_has_the_keyboard_only_while_the_list_of_tabs_has_it(
    version: str, having: int
) -> None:
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/tabs"], above=calls.ROOT_PATH),
            "/tabs": FakeObject(PAGE_TAB_LIST, state=SHOWING | ENABLED | having, children=["/a", "/b"], above="/frame"),
            "/a": FakeObject(PAGE_TAB, "A", state=SHOWING | ENABLED | FOCUSED, above="/tabs"),
            "/b": FakeObject(PAGE_TAB, "B", above="/tabs"),
        },
        toolkit=("Qt", version),
    )
    nodes = (await reader_of(app).walk([ROOT], deadline_s=5)).nodes.values()
    alone = await reader_of(app).read(Ref(ROOT.bus, "/a"), deadline_s=5)
    focused = [node.name for node in (*nodes, alone) if node.role == PAGE_TAB and node.state & FOCUSED]
    assert focused == (["A", "A"] if having else [])
    assert [node.name for node in (*nodes, alone) if node.state & SELECTED] == ["A", "A"]


async def test_an_object_that_is_not_told_in_time_is_not_taken_for_an_empty_one() -> None:
    objects = {"/cell": FakeObject(CELL, "B2", text="150")}
    app = FakeApplication(objects)
    whole = await reader_of(app).read(Ref(ROOT.bus, "/cell"), deadline_s=5)
    assert whole.text == "150"
    before = [call.member for call in app.asked].index("GetText")
    with pytest.raises(ApplicationUnresponsive):
        await reader_of(FakeApplication(objects, patience=before)).read(Ref(ROOT.bus, "/cell"), deadline_s=0.05)


async def test_a_window_whose_object_is_dead_is_stale_at_once_and_not_slow() -> None:
    app = FakeApplication({"/frame": FakeObject(FRAME, "Window", state=SHOWING | DEFUNCT)})
    with pytest.raises(ElementStale):
        await reader_of(app).walk([ROOT], deadline_s=5)


GTK4 = ("GTK", "4.8.3")


@pytest.mark.parametrize("shown", ["•••••", "*****", "xxxxx", "••••e", "•b•••", "****e", NOTHING])
async def test_a_gtk_4_entry_that_hides_what_is_typed_is_a_password_whatever_its_bullets_are(shown: str) -> None:
    """The character that was typed last may be shown for a moment."""
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/veiled", "/same", "/stars", "/short", "/empty", "/lines"]),
        "/veiled": FakeObject(ENTRY, "Veiled", text="abcde", shown=shown),
        "/same": FakeObject(ENTRY, "Same", text="xxxxx"),
        "/stars": FakeObject(ENTRY, "Stars", text="***"),
        "/short": FakeObject(ENTRY, "Short", text="ok"),
        "/empty": FakeObject(ENTRY, "Empty", text=""),
        "/lines": FakeObject(ENTRY, "Lines", text="\n two", shown=NOTHING),
    }
    app = FakeApplication(objects, toolkit=GTK4)
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [(node.role, node.text) for node in walk.nodes.values()][1:] == [
        (PASSWORD, ""),
        (ENTRY, "xxxxx"),
        (ENTRY, "***"),
        (ENTRY, "ok"),
        (ENTRY, ""),
        (ENTRY, "\n two"),
    ]
    actor = actor_of(app)
    read = [await actor.read_text(Ref(ROOT.bus, path), "it") for path in objects if path != "/frame"]
    assert read == ["", "xxxxx", "***", "ok", "", "\n two"]


async def test_a_text_of_another_toolkit_is_read_whatever_it_shows() -> None:
    app = FakeApplication({"/name": FakeObject(ENTRY, "Name", text="Ada")}, toolkit=("gtk", "3.24"))
    assert await actor_of(app).read_text(Ref(ROOT.bus, "/name"), "it") == "Ada"
    assert "GetStringAtOffset" not in app.members("/name")


async def test_a_gtk_4_text_that_does_not_say_what_it_shows_is_not_read_and_that_is_said() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/mute"]),
        "/mute": FakeObject(ENTRY, "Mute", text="xyzzy", shown=REFUSED),
    }
    app = FakeApplication(objects, toolkit=GTK4)
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.text for node in walk.nodes.values()] == ["", ""]
    assert walk.truncated
    with pytest.raises(ActionRefused, match="GetStringAtOffset"):
        await actor_of(app).read_text(Ref(ROOT.bus, "/mute"), "it")
    assert "GetText" not in app.members("/mute")


async def test_what_may_be_bullets_is_a_password_as_long_as_its_text_is_not_known() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/silent"]),
        "/silent": FakeObject(ENTRY, "Silent", text="", shown="***"),
    }
    walk = await reader_of(FakeApplication(objects, toolkit=GTK4)).walk([ROOT], deadline_s=5)
    assert [(node.role, node.text) for node in walk.nodes.values()][1:] == [(PASSWORD, "")]


@pytest.mark.requires("observe.gtk4")
async def test_a_gtk_4_control_is_not_named_by_its_class_and_a_cell_is_by_its_label() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/icon", "/cell", "/full"]),
        "/icon": FakeObject(PANEL, "GtkBuiltinIcon"),
        "/cell": FakeObject(CELL, "GtkColumnViewCell", children=["/label"]),
        "/label": FakeObject(LABEL, "r1c1", text="r1c1", actions=["clipboard.copy"]),
        "/full": FakeObject(CELL, "GtkColumnViewCell", children=["/icon"]),
    }
    app = FakeApplication(objects, toolkit=GTK4)
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert sorted(node.name for node in walk.nodes.values()) == ["", "", "Window", "r1c1", "r1c1"]
    assert "GetActions" not in app.members("/label")
    other = await reader_of(FakeApplication(objects)).walk([ROOT], deadline_s=5)
    assert "GtkBuiltinIcon" in {node.name for node in other.nodes.values()}


@pytest.mark.requires("observe.gtk4")
async def test_what_stands_in_something_disabled_of_gtk_4_is_disabled_though_it_says_nothing_of_it() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/combo", "/free"], above=calls.ROOT_PATH),
        "/combo": FakeObject(COMBO_BOX, "City", state=SHOWING, children=["/box"], above="/frame"),
        "/box": FakeObject(PANEL, children=["/entry"], above="/combo"),
        "/entry": FakeObject(ENTRY, "Of it", text="Bonn", above="/box"),
        "/free": FakeObject(ENTRY, "Free", text="Rome", above="/frame"),
    }
    app = FakeApplication(objects, toolkit=GTK4)
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    enabled = {seen.name for seen in controls_of(walk.nodes, ROOT, "Window") if "enabled" in seen.states}
    assert enabled == {"Free"}
    entry, free = [await reader_of(app).read(Ref(ROOT.bus, path), deadline_s=5) for path in ("/entry", "/free")]
    assert (entry.state & ENABLED, bool(free.state & ENABLED)) == (0, True)
    other = await reader_of(FakeApplication(objects)).read(Ref(ROOT.bus, "/entry"), deadline_s=5)
    assert other.state & ENABLED, "others say it themselves, and are believed"


@pytest.mark.requires("desktop.reobservation")
async def test_what_gtk_4_never_laid_out_is_not_seen_and_a_tab_is_named_by_its_label() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/tab", "/page"]),
        "/tab": FakeObject(PAGE_TAB, "Tab", children=["/label"]),
        "/label": FakeObject(LABEL, "First"),
        "/page": FakeObject(PANEL, "Page", children=["/button"], place=(5, 5, 0, 0)),
        "/button": FakeObject(BUTTON, "Behind"),
    }
    walk = await reader_of(FakeApplication(objects, toolkit=GTK4)).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "First", "First"]
    other = await reader_of(FakeApplication(objects)).walk([ROOT], deadline_s=5)
    assert {"Tab", "Page", "Behind"} <= {node.name for node in other.nodes.values()}


@pytest.mark.requires("desktop.reobservation")
async def test_a_cell_that_stands_nowhere_does_not_show() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/table"]),
        "/table": FakeObject(TABLE, "Rows", children=["/near", "/far"], state=SHOWING | MANAGES_DESCENDANTS),
        "/near": FakeObject(CELL, "near"),
        "/far": FakeObject(CELL, "far", place=(-(2**31), -(2**31), 80, 20)),
    }
    walk = await reader_of(FakeApplication(objects)).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "Rows", "near"]


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize(
    "toolkit",
    [("gtk", "3.24"), ("Qt", "6.8.3"), ("Qt", "6.4.2"), ("Qt", "5.15"), ("GTK", "4.8"), ("Chromium", "156"), ("", "")],
)
async def test_actions_are_kept_only_where_they_follow_role_and_state(toolkit: tuple[str, str]) -> None:
    button = FakeObject(BUTTON, "Go", actions=["press"])
    objects = {"/frame": FakeObject(FRAME, "Window", children=["/go"]), "/go": button}
    app = FakeApplication(objects, toolkit=toolkit)
    reader = reader_of(app)
    await reader.walk([ROOT], deadline_s=5)
    button.actions = ["open"]
    again = await reader.walk([ROOT], deadline_s=5)
    kept = toolkit in {("gtk", "3.24"), ("Qt", "6.8.3")}
    assert again.nodes[Ref(ROOT.bus, "/go")].actions == (("press",) if kept else ("open",))
    button.state = SHOWING
    changed = await reader.walk([ROOT], deadline_s=5)
    assert changed.nodes[Ref(ROOT.bus, "/go")].actions == ("open",)


@pytest.mark.requires("observe.gtk4")
async def test_a_gtk_4_text_is_asked_for_up_to_its_last_character() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/entry", "/long", "/empty"]),
        "/entry": FakeObject(ENTRY, "Name", text="Zoë"),
        "/long": FakeObject(ENTRY, "Long", text="x" * (TEXT_LIMIT + 9)),
        "/empty": FakeObject(ENTRY, "Empty", text=""),
    }
    app = FakeApplication(objects, toolkit=GTK4)
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.text for node in walk.nodes.values()] == ["", "Zoë", "x" * TEXT_KEPT, ""]
    actor = actor_of(app)
    texts = [await actor.read_text(Ref(ROOT.bus, path), path) for path in ("/entry", "/long", "/empty")]
    assert texts == [objects[path].text for path in ("/entry", "/long", "/empty")]


@pytest.mark.requires("observe.gtk4")
async def test_nothing_of_a_context_menu_is_a_default_action() -> None:
    app = FakeApplication({"/frame": FakeObject(LABEL, "Words", actions=["clipboard.copy", "menu.popup"])})
    actor = actor_of(app)
    with pytest.raises(ActionRefused, match="clipboard"):
        await actor.do(ROOT, "", "the label")
    assert "DoAction" not in app.members(ROOT.path)
    await actor.do(ROOT, "menu.popup", "the label")
    assert "DoAction" in app.members(ROOT.path)


@pytest.mark.requires("observe.swing")
async def test_a_label_of_swing_says_whom_it_labels() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/label", "/entry"]),
        "/label": FakeObject(LABEL, "Name", label_for=["/entry", "/hidden"]),
        "/entry": FakeObject(ENTRY, "Name", text=""),
    }
    app = FakeApplication(objects, toolkit=("J2SE-access-bridge", "1.0"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    entry = walk.nodes[Ref(ROOT.bus, "/entry")]
    assert (entry.labelled_by, entry.label) == ([Ref(ROOT.bus, "/label")], "Name")


@pytest.mark.requires("observe.office")
async def test_a_label_that_both_sides_tell_of_is_said_once() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/label", "/rows"]),
        "/label": FakeObject(LABEL, "Number of rows:", label_for=["/rows"]),
        "/rows": FakeObject(SPIN_BUTTON, relations=[[calls.LABELLED_BY, [[ROOT.bus, "/label"]]]]),
    }
    app = FakeApplication(objects, name="soffice")
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert walk.nodes[Ref(ROOT.bus, "/rows")].label == "Number of rows:"


@pytest.mark.requires("observe.popups")
async def test_an_item_is_named_by_the_text_of_a_label_that_is_in_no_tree_but_never_by_what_was_typed() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/item", "/odd"]),
        "/item": FakeObject(MENU_ITEM, relations=[[calls.LABELLED_BY, [[ROOT.bus, "/label"]]]]),
        "/label": FakeObject(LABEL, text="Second"),
        "/odd": FakeObject(MENU_ITEM, relations=[[calls.LABELLED_BY, [[ROOT.bus, "/entry"]]]]),
        "/entry": FakeObject(ENTRY, text="xyzzy"),
    }
    app = FakeApplication(objects, toolkit=("GTK", "4.18.6"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [walk.nodes[Ref(ROOT.bus, path)].label for path in ("/item", "/odd")] == ["Second", ""]
    assert "GetText" not in app.members("/entry")


async def test_garbage_is_searched_for_again_after_a_walk_however_it_ended() -> None:
    during: list[bool] = []

    def dies() -> ApplicationGone:
        during.append(gc.isenabled())
        return ApplicationGone("it ended")

    app = FakeApplication({"/frame": FakeObject(FRAME, "Window")})
    await reader_of(app).walk([ROOT], deadline_s=5)
    assert gc.isenabled()
    app = FakeApplication({"/frame": FakeObject(FRAME, "Window")}, patience=2, then=dies)
    with pytest.raises(ApplicationGone):
        await reader_of(app).walk([ROOT], deadline_s=5)
    assert gc.isenabled()
    assert during
    assert not any(during)


@pytest.mark.requires("desktop.only-what-is-offered")
async def test_an_object_is_never_asked_for_what_it_does_not_offer() -> None:
    app = FakeApplication({"/frame": FakeObject(LABEL, "Words"), "/item": FakeObject(PANEL, "Item")})
    actor, item = actor_of(app), Ref(ROOT.bus, "/item")
    for refused in (
        lambda: actor.set_value(item, 1, "the item"),
        lambda: actor.set_text(item, "x", "the item"),
        lambda: actor.read_text(item, "the item"),
        lambda: actor.selected_count(item, "the item"),
        lambda: actor.do(item, "", "the item"),
        lambda: tables_of(app).shape(item, deadline_s=2),
    ):
        with pytest.raises(ActionRefused, match="item"):
            await refused()
    assert app.members("/item") == {"GetInterfaces", "GetRole", "GetState"}
    assert await actor.read_text(ROOT, "the label") == "Words"


def _wide_window(patience: int, then: Callable[[], DesktopError] | None = None) -> FakeApplication:
    names = [f"/p{number}" for number in range(50)]
    objects = {name: FakeObject(PANEL, name) for name in names}
    return FakeApplication({"/frame": FakeObject(FRAME, "Window", children=names), **objects}, patience, then)


@pytest.mark.requires("observe.partial")
@pytest.mark.requires("desktop.deadlines")
async def test_an_application_that_falls_silent_gives_what_it_said_until_then() -> None:
    walk = await reader_of(_wide_window(patience=120)).walk([ROOT], deadline_s=0.1)
    assert "0.1 s" in walk.truncated
    assert 1 < len(walk.nodes) < 51
    assert walk.unread == 51 - len(walk.nodes)


async def test_an_application_that_never_answers_is_unresponsive() -> None:
    with pytest.raises(ApplicationUnresponsive):
        await reader_of(_wide_window(patience=0)).walk([ROOT], deadline_s=0.1)


@pytest.mark.requires("desktop.application-dies")
async def test_an_application_that_dies_half_way_is_gone_and_nothing_is_made_of_the_rest() -> None:
    with pytest.raises(ApplicationGone), anyio.fail_after(5):
        await reader_of(_wide_window(120, lambda: ApplicationGone("died"))).walk([ROOT], deadline_s=60)


@pytest.mark.requires("desktop.display-gone")
async def test_a_bus_that_dies_half_way_is_a_dead_desktop_however_many_were_asking() -> None:
    def gone() -> DesktopError:
        raise DesktopGone("the bus is gone")

    with pytest.raises(DesktopGone), anyio.fail_after(5):
        await reader_of(_wide_window(120, gone)).walk([ROOT], deadline_s=60)


@pytest.mark.requires("desktop.bounded-answers")
async def test_a_tree_without_a_ground_is_walked_to_a_depth() -> None:
    walk = await reader_of(FakeApplication(Endless(1))).walk([ROOT], deadline_s=60)
    assert "levels deep" in walk.truncated
    assert len(walk.nodes) == DEPTH_LIMIT + 1
    assert len(controls_of(walk.nodes, ROOT, "Window")) == DEPTH_LIMIT


@pytest.mark.long
@pytest.mark.requires("desktop.bounded-answers")
async def test_a_tree_that_grows_without_end_is_walked_to_a_number() -> None:
    app = FakeApplication(Endless(4))
    walk = await reader_of(app).walk([ROOT], deadline_s=60)
    assert str(NODE_LIMIT) in walk.truncated
    assert len(walk.nodes) == NODE_LIMIT
    assert len(app.asked) < 20 * NODE_LIMIT


@pytest.mark.requires("desktop.bounded-answers")
async def test_of_very_many_children_the_first_are_looked_at() -> None:
    names = [f"/p{number}" for number in range(CELL_LIMIT + 1)]
    objects = {name: FakeObject(PANEL, name) for name in names}
    app = FakeApplication({"/frame": FakeObject(FRAME, "Window", children=names), **objects})
    walk = await reader_of(app).walk([ROOT], deadline_s=60)
    assert f"more than {CELL_LIMIT} elements" in walk.truncated
    assert len(walk.nodes) == CELL_LIMIT + 1


@pytest.mark.requires("desktop.lying")
async def test_what_stands_in_circles_is_a_tree_to_us() -> None:
    """Each has itself, the others, what is above it and the whole application as its children."""
    everything = ["/frame", "/a", "/b", "/b", calls.ROOT_PATH]
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=everything),
            "/a": FakeObject(LIST_ITEM, children=everything),
            "/b": FakeObject(LIST_ITEM, children=everything),
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [ref.path for ref in walk.nodes] == ["/frame", "/a", "/b"]
    assert [child.path for node in walk.nodes.values() for child in node.children] == ["/a", "/b"]
    assert len(controls_of(walk.nodes, ROOT, "Window")) == 2
    assert walk.truncated == ""


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("above", ["/box", "/other"])
async def test_an_object_whose_parents_stand_in_a_circle_is_read(above: str) -> None:
    """In GTK 4 boxes around words are passed over, up to what holds them."""
    app = FakeApplication(
        {
            "/label": FakeObject(LABEL, "Size", above="/box"),
            "/box": FakeObject(PANEL, above=above),
            "/other": FakeObject(PANEL, above="/box"),
        },
        toolkit=("GTK", "4.8.3"),
    )
    node = await reader_of(app).read(Ref(ROOT.bus, "/label"), deadline_s=5)
    assert (node.name, node.parent) == ("Size", Ref(ROOT.bus, "/box"))


@pytest.mark.requires("desktop.lying")
async def test_what_shows_in_parents_that_stand_in_a_circle_is_left_out() -> None:
    """As of a peer that says that it is Chromium, in whose pages what is out of view is looked through at once."""
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/page"]),
            "/page": FakeObject(DOCUMENT_WEB, "Page", children=["/out"]),
            "/out": FakeObject(PANEL, "Out of view", state=VISIBLE, children=["/bar"]),
            "/bar": FakeObject(BUTTON, "Bar", above="/one"),
            "/one": FakeObject(PANEL, above="/two"),
            "/two": FakeObject(PANEL, above="/one"),
        },
        toolkit=("Chromium", "120"),
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "Page"]


@pytest.mark.requires("desktop.lying")
async def test_a_child_of_another_application_is_looked_at_where_it_says_so_too() -> None:
    """A web page may live in a process of its own; a button of somebody else's window does not belong here."""
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=[":1.7 /page", ":1.8 /button"]),
            "/page": FakeObject(PANEL, "Page", above="/frame"),
            "/button": FakeObject(PANEL, "Button", above="/elsewhere"),
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "Page"]


@pytest.mark.requires("desktop.lying")
async def test_a_child_that_nobody_owns_leaves_the_application_alive() -> None:
    class Gone(FakeApplication):
        async def _answer(self, call: Call) -> Reply:
            return await super()._answer(call) if call.destination == ROOT.bus else ApplicationGone("nobody")

    app = Gone({"/frame": FakeObject(FRAME, "Window", children=[":1.99 /a", "/b"]), "/b": FakeObject(PANEL, "B")})
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "B"]
    assert walk.truncated == ""


@pytest.mark.requires("desktop.lying")
async def test_an_embedded_application_that_dies_leaves_the_one_around_it_alive() -> None:
    class Dying(FakeApplication):
        async def _answer(self, call: Call) -> Reply:
            dead = call.destination != ROOT.bus and call.member == "GetRole"
            return ApplicationGone("its page crashed") if dead else await super()._answer(call)

    page = FakeObject(PANEL, "Page", above="/frame")
    app = Dying({"/frame": FakeObject(FRAME, "Window", children=[":1.7 /page"]), "/page": page})
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window"]


@pytest.mark.requires("desktop.lying")
async def test_what_refuses_to_say_what_it_is_makes_the_observation_partial() -> None:
    class Refusing(FakeApplication):
        async def _answer(self, call: Call) -> Reply:
            return await super()._answer(call) if call.path == "/frame" else ActionRefused("no")

    app = Refusing({"/frame": FakeObject(FRAME, "Window", children=["/a"])})
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert "does not report" in walk.truncated


@pytest.mark.requires("desktop.bounded-answers", "observe.exact")
async def test_long_names_and_lists_are_cut() -> None:
    much = FakeObject(ENTRY, "n" * 10 * TEXT_LIMIT, text="t" * 10 * TEXT_LIMIT, actions=[""] * 10 * LIST_LIMIT)
    labelled = FakeObject(ENTRY, text="", relations=[[calls.LABELLED_BY, [[ROOT.bus, "/much"]] * 10 * LIST_LIMIT]])
    app = FakeApplication(
        {
            "/frame": FakeObject(FRAME, "Window", children=["/much", "/labelled"]),
            "/much": much,
            "/labelled": labelled,
        }
    )
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    _, first, second = walk.nodes.values()
    assert (len(first.name), len(first.text), len(first.actions)) == (TEXT_LIMIT, TEXT_KEPT, LIST_LIMIT)
    told = target_of(first, Role.TEXTBOX, "")
    assert (len(told.value), TEXT_CUT in told.states) == (TEXT_LIMIT, True), "it says that it is cut"
    first.text = first.text[:TEXT_LIMIT]
    assert TEXT_CUT not in target_of(first, Role.TEXTBOX, "").states
    assert (len(second.label), len(second.labelled_by)) == (TEXT_LIMIT, LIST_LIMIT)
    assert len(app.asked) < 100


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("bus", ["", ":", "a", "no bus.a", ":1.1\n", ":1..1", "ä.b", ":1." + "1" * 300])
def test_a_bus_name_that_is_none_is_no_reference(bus: str) -> None:
    """A bus hangs up on whoever sends it one."""
    assert calls.refs_in([[[bus, "/a"]]]) == []


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("path", ["", "a", "//", "/a/", "/a b", "/ä", "/a\n", "/" + "a" * 3000, calls.NULL_PATH])
def test_a_path_that_is_none_is_no_reference(path: str) -> None:
    assert calls.refs_in([[[":1.1", path]]]) == []


@pytest.mark.parametrize("bus", [":1.1", ":1.1.2", "org.a11y.atspi.Registry", "a-b._c"])
@pytest.mark.parametrize("path", ["/", "/a", "/org/a11y/atspi/accessible/12"])
def test_names_as_the_bus_has_them_are_references(bus: str, path: str) -> None:
    assert calls.refs_in([[[bus, path]]]) == [Ref(bus, path)]


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("reply", WRONG_SHAPES, ids=str)
def test_an_answer_of_the_wrong_shape_is_none(reply: Body) -> None:
    assert calls.labels_in(reply) == []
    assert calls.refs_in(reply) == []
    assert calls.ref_in(reply) is None
    assert calls.float_in(reply) is None or reply == [7]
    assert calls.rect_in(reply).empty
    assert calls.bits_in(reply) == 0
    assert isinstance(calls.action_names_in(reply), tuple)
    assert isinstance(calls.attributes_in(reply), dict)


@pytest.mark.requires("observe.chromium")
async def test_a_slider_of_chromium_has_a_number_though_it_has_a_text_too() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/slider", "/spin"]),
        "/slider": FakeObject(SLIDER, "Volume", text="", number=30.0),
        "/spin": FakeObject(SPIN_BUTTON, "Price", text="1.50 €", number=1.5),
    }
    walk = await reader_of(FakeApplication(objects)).walk([ROOT], deadline_s=5)
    assert [control.value for control in controls_of(walk.nodes, ROOT, "Window")] == ["30", "1.50 €"]


@pytest.mark.requires("observe.chromium")
async def test_a_part_of_a_date_of_chromium_reads_what_it_shows_and_only_such_is_asked_more() -> None:
    part = {"placeholder": "mm"}
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/two", "/none", "/zero", "/half", "/bare", "/typed"]),
        "/two": FakeObject(SPIN_BUTTON, "Month", text="", number=2.0, attributes={"valuetext": "02", **part}),
        "/none": FakeObject(SPIN_BUTTON, "Day", text="", number=0.0, attributes={"valuetext": "0", **part}),
        "/zero": FakeObject(SPIN_BUTTON, "Minutes", text="", number=0.0, attributes={"valuetext": "00", **part}),
        "/half": FakeObject(SPIN_BUTTON, "AM/PM", text="", number=2.0, attributes={"valuetext": "PM", **part}),
        "/bare": FakeObject(SPIN_BUTTON, "Floor", text="", number=-1.5),
        "/typed": FakeObject(SPIN_BUTTON, "Price", state=SHOWING | ENABLED | EDITABLE, text="", number=0.0),
    }
    app = FakeApplication(objects, toolkit=("Chromium", "156"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    values = ["02", "", "00", "PM", "-1.5", ""]
    assert [control.value for control in controls_of(walk.nodes, ROOT, "Window")] == values
    assert "GetAttributes" not in app.members("/typed")
    paths = ("/two", "/none", "/zero", "/half", "/bare")
    assert [await actor_of(app).read_text(Ref(ROOT.bus, path), "it") for path in paths] == values[:-1]


@pytest.mark.requires("observe.chromium")
async def test_a_number_field_of_chromium_reads_what_it_shows_where_its_text_is_old() -> None:
    state, kind = SHOWING | ENABLED | EDITABLE, {"text-input-type": "number"}
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/old", "/single", "/named", "/plain"]),
        "/old": FakeObject(SPIN_BUTTON, "A", state, text="3", number=4.5, attributes={"valuetext": "4.50", **kind}),
        "/single": FakeObject(
            *(SPIN_BUTTON, "B", state),
            text="0.30000001",
            number=0.30000001192092896,
            attributes={"valuetext": "0.3", **kind},
        ),
        "/named": FakeObject(SPIN_BUTTON, "C", state, text="5", number=5.0, attributes={"valuetext": "five", **kind}),
        "/plain": FakeObject(SPIN_BUTTON, "D", state, text="3", number=4.5, attributes={"valuetext": "4.50"}),
    }
    app = FakeApplication(objects, toolkit=("Chromium", "156"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    values = ["4.50", "0.3", "5", "3"]
    assert [control.value for control in controls_of(walk.nodes, ROOT, "Window")] == values
    paths = ("/old", "/single", "/named", "/plain")
    assert [await actor_of(app).read_text(Ref(ROOT.bus, path), "it") for path in paths] == values


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(("state", "refused"), [(0, True), (EDITABLE, False)])
async def test_a_number_is_not_set_where_chromium_would_lose_it(state: int, refused: bool) -> None:
    spin = FakeObject(SPIN_BUTTON, "Month", state=SHOWING | ENABLED | state, text="", number=1.0)
    app = FakeApplication({"/frame": FakeObject(FRAME), "/spin": spin}, toolkit=("Chromium", "156"))
    with pytest.raises(NotOffered if refused else ActionRefused) as error:  # the fake takes none
        await actor_of(app).set_value(Ref(ROOT.bus, "/spin"), 2.0, "it")
    assert isinstance(error.value, NotOffered) is refused
    assert ("Set" in app.members("/spin")) is not refused


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(("chosen", "value"), [(["/pear"], "Pear"), ([], ""), (None, "")])
async def test_a_closed_combo_box_of_chromium_reads_what_is_selected_in_its_list(
    chosen: list[str] | None, value: str
) -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/combo", "/own"]),
        "/combo": FakeObject(COMBO_BOX, "Fruit", text="\ufffc", children=["/menu"]),
        "/menu": FakeObject(MENU, state=ENABLED, children=["/pear"], chosen=chosen),
        "/pear": FakeObject(MENU_ITEM, "Pear"),
        "/own": FakeObject(COMBO_BOX, "City", text="Bonn", children=["/menu"]),
    }
    app = FakeApplication(objects, toolkit=("Chromium", "156"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [control.value for control in controls_of(walk.nodes, ROOT, "Window")] == [value, "Bonn"]
    combo = Ref(ROOT.bus, "/combo")
    assert (await reader_of(app).read(combo, deadline_s=5)).text == value
    assert await actor_of(app).read_text(combo, "it") == value


@pytest.mark.requires("observe.chromium")
async def test_a_label_of_chromium_is_known_by_its_text_and_not_listed_with_it() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/label", "/entry"]),
        "/label": FakeObject(LABEL, text="Name", label_for=["/entry"], children=["/words"]),
        "/words": FakeObject(STATIC, "Name", text="Name"),
        "/entry": FakeObject(ENTRY, "Name", text="Ada"),
    }
    app = FakeApplication(objects, toolkit=("Chromium", "156"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert [(seen.name, seen.value) for seen in controls_of(walk.nodes, ROOT, "Window")] == [("Name", "Ada")]


@pytest.mark.requires("observe.office")
async def test_content_of_libreoffice_that_names_a_window_that_is_none_is_found_where_it_stands() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/box"], place=(0, 0, 100, 100)),
        "/box": FakeObject(PANEL, children=["/content"], above="/frame", place=(0, 25, 100, 75)),
        "/ghost": FakeObject(FRAME, "Window", children=["/content"], place=(0, 0, 100, 75)),
        "/content": FakeObject(ROOT_PANE, children=["/button"], above="/ghost", place=(0, 0, 100, 75)),
        "/button": FakeObject(BUTTON, "Bold", above="/content", place=(10, 10, 5, 5)),
    }
    app = FakeApplication(objects, name="soffice")
    button = Ref(ROOT.bus, "/button")
    assert (await reader_of(app).read(button, deadline_s=5)).rect.top == 35
    assert (await reader_of(app).walk([ROOT], deadline_s=5)).nodes[button].rect.top == 35


@pytest.mark.requires("observe.office")
async def test_a_cell_that_says_nothing_is_not_given_the_name_of_its_place() -> None:
    objects = {
        "/frame": FakeObject(TABLE, "Rows", cells=["/full", "/silent"]),
        "/full": FakeObject(CELL, "A1", children=["/words"]),
        "/words": FakeObject(LABEL, text="North"),
        "/silent": FakeObject(CELL, "B1"),
    }
    other = tables_of(FakeApplication(objects))
    assert await other.cells(ROOT, range(1), range(2), deadline_s=5) == (("North", "B1"),)
    office = tables_of(FakeApplication(objects, name="soffice"))
    with pytest.raises(ActionRefused, match="does not expose the content"):
        await office.cells(ROOT, range(1), range(2), deadline_s=5)


async def test_a_calendar_is_called_as_its_label_says() -> None:
    labelled = [[calls.LABELLED_BY, [[ROOT.bus, "/label"]]]]
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/label", "/calendar"]),
        "/label": FakeObject(LABEL, "Day:"),
        "/calendar": FakeObject(CALENDAR, relations=labelled),
    }
    walk = await reader_of(FakeApplication(objects, toolkit=("gtk", "3.24"))).walk([ROOT], deadline_s=5)
    assert [(seen.raw_role, seen.name) for seen in controls_of(walk.nodes, ROOT, "Window")] == [("calendar", "Day:")]


@pytest.mark.requires("command.read-table", "observe.chromium")
async def test_a_cell_with_a_button_or_a_link_in_it_reads_the_words_on_them() -> None:
    contents, label = {"name-from": "contents"}, {"name-from": "attribute"}
    objects = {
        "/frame": FakeObject(TABLE, cells=["/pen", "/act", "/link", "/sum", "/icon", "/other"]),
        "/pen": FakeObject(CELL, "Pen", text="Pen", attributes=contents),
        "/act": FakeObject(CELL, "Remove", text="\ufffc", attributes=contents),
        "/link": FakeObject(CELL, "Ink link x", text="Ink \ufffc x", attributes=contents),
        "/sum": FakeObject(CELL, "Called so", text="7 \ufffc", attributes=label),
        "/icon": FakeObject(CELL, "Star", text="\ufffc", attributes=label),
        "/other": FakeObject(CELL, "F1", text="\ufffc"),
    }
    app = FakeApplication(objects, toolkit=("Chromium", "156"))
    told = await tables_of(app).cells(ROOT, range(1), range(6), deadline_s=5)
    assert told == (("Pen", "Remove", "Ink link x", "7", "Star", ""),)
    assert "GetAttributes" not in app.members("/pen")


@pytest.mark.requires("observe.office")
async def test_libreoffice_is_not_asked_for_the_list_of_all_that_it_has() -> None:
    app = FakeApplication({"/frame": FakeObject(FRAME, "Window")}, toolkit=("gtk", "3.24.38"), name="soffice")
    await reader_of(app).walk([ROOT], deadline_s=5)
    assert {call.path for call in app.asked} == {"/frame"}
    other = replace(app, name="gedit", asked=[])
    await reader_of(other).walk([ROOT], deadline_s=5)
    assert {call.path for call in other.asked} == {CACHE, "/frame"}


@pytest.mark.requires("desktop.bulk")
async def test_of_what_gtk_4_lists_only_places_children_and_details_are_asked() -> None:
    """What nobody has looked at yet is not in its list, and is asked for one by one."""
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/box", "/new"]),
        "/box": FakeObject(PANEL, "Box", state=VISIBLE, children=["/text", "/hidden", "/empty"]),
        "/text": FakeObject(ENTRY, "Name", text="Ada"),
        "/hidden": FakeObject(PANEL, "Hidden", state=ENABLED),
        "/empty": FakeObject(PANEL, "Empty", place=(0, 0, 0, 0)),
        "/new": FakeObject(BUTTON, "New", actions=["press"]),
    }
    told = FakeApplication(objects, toolkit=("GTK", "4.8.3"), listed=["/frame", "/box", "/text", "/hidden", "/empty"])
    alone = FakeApplication(objects, toolkit=("GTK", "4.8.3"))
    walk, other = [await reader_of(app).walk([ROOT], deadline_s=5) for app in (told, alone)]
    assert list(walk.nodes.values()) == list(other.nodes.values())
    assert [node.name for node in walk.nodes.values()] == ["Window", "Box", "Name", "New"]
    assert told.members("/box") == {"GetExtents", "GetChildren"}
    assert told.members("/text") == {"GetExtents", "GetStringAtOffset", "CharacterCount", "GetText", "GetRelationSet"}
    assert told.members("/hidden") == set()
    assert {"GetState", "GetRole", "Name", "GetInterfaces"} <= told.members("/new")


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(("version", "role"), [("4.8.3", TOGGLE_BUTTON), ("4.18.6", PUSH_BUTTON)])
async def test_a_button_of_gtk_4_8_that_is_pressed_is_one_that_stays_so(version: str, role: int) -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/up", "/down"]),
        "/up": FakeObject(PUSH_BUTTON, "Up"),
        "/down": FakeObject(PUSH_BUTTON, "Down", state=SHOWING | ENABLED | PRESSED),
    }
    reader = reader_of(FakeApplication(objects, toolkit=("GTK", version)))
    walk = await reader.walk([ROOT], deadline_s=5)
    assert {node.name: node.role for node in walk.nodes.values()} == {"Window": FRAME, "Up": PUSH_BUTTON, "Down": role}
    assert (await reader.read(Ref(":1.1", "/down"), deadline_s=5)).role == role


@pytest.mark.requires("observe.popups")
@pytest.mark.parametrize(("place", "seen"), [((0, 0, 0, 0), False), ((5, 30, 90, 60), True)])
async def test_the_list_of_a_closed_combo_box_is_not_seen(place: tuple[int, int, int, int], *, seen: bool) -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/combo"]),
        "/combo": FakeObject(COMBO_BOX, "Red", children=["/list"]),
        "/list": FakeObject(LIST, place=place, children=["/item"]),
        "/item": FakeObject(LIST_ITEM, "Green", place=(6, 31, 50, 20)),
    }
    app = FakeApplication(objects, toolkit=("Qt", "5.15.8"))
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    assert ("Green" in {node.name for node in walk.nodes.values()}) is seen
    other = await reader_of(FakeApplication(objects)).walk([ROOT], deadline_s=5)
    assert "Green" in {node.name for node in other.nodes.values()}


@pytest.mark.requires("observe.popups")
async def test_a_popover_is_the_element_that_fills_a_window_of_its_own() -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", place=(0, 0, 200, 100), children=["/bar"]),
        "/bar": FakeObject(LIST, place=(0, 0, 200, 20), children=["/button"]),
        "/button": FakeObject(PANEL, place=(10, 0, 60, 20), children=["/popover"]),
        "/popover": FakeObject(PANEL, place=(10, 6, 80, 54), children=["/same", "/item"]),
        "/same": FakeObject(PANEL, "Same", place=(10, 6, 80, 60)),
        "/item": FakeObject(LIST_ITEM, "Item", place=(20, 40, 30, 10)),
    }
    popups = Popups([Rect(300, 200, 380, 260)])
    walk = await reader_of(FakeApplication(objects, toolkit=GTK4)).walk([ROOT], deadline_s=5, popups=popups)
    move_to_screen(walk.nodes.values(), Gtk4(*GTK4), Places(1.0, 50, 50))
    places = {node.name or ref.path: node.rect for ref, node in walk.nodes.items()}
    assert places["Item"] == Rect(310, 240, 340, 250)
    assert places["/popover"] == Rect(300, 206, 380, 260)
    assert places["Same"] == Rect(300, 206, 380, 266)
    assert places["/button"] == Rect(60, 50, 120, 70)


@pytest.mark.parametrize(
    ("toolkit", "awake"), [(("gtk", "3.24.38"), False), (("GTK", "4.8.3"), True), (("", ""), True)]
)
async def test_answers_are_waited_for_awake_unless_the_x_server_wants_a_processor_too(
    toolkit: tuple[str, str], *, awake: bool
) -> None:
    application = FakeApplication({"/frame": FakeObject(FRAME, "Window")}, toolkit=toolkit)
    await reader_of(application).walk([ROOT], deadline_s=5)
    assert application.awake is awake


def scrolled_away(paragraphs: int) -> dict[str, FakeObject]:
    """A page with a section that is scrolled away, a dialog in it that shows, and something in that in turn."""
    away = VISIBLE | ENABLED
    return {
        "/frame": FakeObject(FRAME, "Window", children=["/page"]),
        "/page": FakeObject(DOCUMENT_WEB, "Page", children=["/section", "/rest"], above="/frame"),
        "/section": FakeObject(PANEL, "Section", state=away, children=["/box"], above="/page", count=paragraphs),
        "/box": FakeObject(PANEL, "Box", state=away, children=["/dialog", "/far"], above="/section"),
        "/dialog": FakeObject(PANEL, "Dialog", children=["/yes", "/inner"], above="/box"),
        "/yes": FakeObject(BUTTON, "Yes", above="/dialog"),
        "/inner": FakeObject(PANEL, "Inner", state=away, children=["/bar"], above="/dialog"),
        "/bar": FakeObject(PANEL, "Bar", above="/inner"),
        "/far": FakeObject(BUTTON, "Far", state=away, above="/box"),
        "/rest": FakeObject(BUTTON, "Rest", above="/page"),
    }


@pytest.mark.requires("observe.chromium")
async def test_what_shows_in_something_scrolled_away_is_read_where_that_stands() -> None:
    objects = scrolled_away(paragraphs=1)
    walk = await reader_of(FakeApplication(objects, toolkit=("Chromium", "156"))).walk([ROOT], deadline_s=5)
    assert [node.name for node in walk.nodes.values()] == ["Window", "Page", "Dialog", "Yes", "Bar", "Rest"]
    above = {node.name: walk.nodes[node.parent].name for node in walk.nodes.values() if node.parent}
    assert (above["Dialog"], above["Yes"], above["Bar"]) == ("Page", "Dialog", "Dialog")
    other = await reader_of(FakeApplication(objects, toolkit=("gtk", "3.24"))).walk([ROOT], deadline_s=5)
    assert [node.name for node in other.nodes.values()] == ["Window", "Page", "Rest"]


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(
    ("place", "children", "whole"),
    [((10, 20, 0, 0), (), False), ((10, 20, 0, 0), ("/text",), True), ((10, 20, 300, 200), (), True)],
)
async def test_a_page_that_tells_nothing_of_itself_is_no_whole_look(
    place: tuple[int, int, int, int], children: Sequence[str], *, whole: bool
) -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=("/page",)),
        "/page": FakeObject(DOCUMENT_WEB, children=children, place=place),
        "/text": FakeObject(BUTTON, "Text"),
    }
    walk = await reader_of(FakeApplication(objects, toolkit=("Chromium", "156"))).walk([ROOT], deadline_s=5)
    assert (not walk.truncated) is whole


@pytest.mark.requires("observe.chromium")
async def test_a_page_of_which_much_is_out_of_view_or_nothing_is_not_searched() -> None:
    whole = {path: replace(it, state=SHOWING | VISIBLE | ENABLED) for path, it in scrolled_away(1).items()}
    for objects in (scrolled_away(paragraphs=5000), whole):
        app = FakeApplication(objects, toolkit=("Chromium", "156"))
        await reader_of(app).walk([ROOT], deadline_s=5)
        assert "GetMatches" not in app.members("/page")


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(
    ("state", "enabled"), [(READ_ONLY | FOCUSABLE, True), (READ_ONLY, False), (FOCUSABLE, False), (EDITABLE, False)]
)
async def test_a_field_of_chromium_for_reading_only_is_enabled_and_a_disabled_one_is_not(
    state: int, *, enabled: bool
) -> None:
    entry = FakeObject(ENTRY, "Day", state=SHOWING | state, text="", actions=["click"])
    app = FakeApplication({"/frame": FakeObject(FRAME, "Window", children=["/entry"]), "/entry": entry})
    app.toolkit = ("Chromium", "156")
    ref = Ref(ROOT.bus, "/entry")
    walk = await reader_of(app).walk([ROOT], deadline_s=5)
    nodes = (walk.nodes[ref], await reader_of(app).read(ref, deadline_s=5))
    assert [bool(node.state & ENABLED) for node in nodes] == [enabled, enabled]
    with nullcontext() if enabled else pytest.raises(TargetDisabled):
        await actor_of(app).do(ref, "click", "it")


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("News - Memory usage - 26.5 MB", "News"),
        ("News - High memory usage - 1.2 GB", "News"),
        ("a - Memory usage - 3 MB - Memory usage - 26.5 MB", "a - Memory usage - 3 MB"),
        ("News - Memory usage - 26.5 MB more", "News - Memory usage - 26.5 MB more"),
        ("News - Speichernutzung - 26,5 MB", "News - Speichernutzung - 26,5 MB"),
    ],
)
async def test_a_tab_of_chromium_is_called_without_the_memory_it_uses_and_one_of_a_page_as_that_says(
    said: str, name: str
) -> None:
    objects = {
        "/frame": FakeObject(FRAME, "Window", children=["/tab", "/page"]),
        "/tab": FakeObject(PAGE_TAB, said),
        "/page": FakeObject(DOCUMENT_WEB, "Page", children=["/inner"]),
        "/inner": FakeObject(PAGE_TAB, said, above="/page"),
    }
    reader = reader_of(FakeApplication(objects, toolkit=("Chromium", "156")))
    nodes = (await reader.walk([ROOT], deadline_s=5)).nodes
    tabs = [node for node in nodes.values() if node.role == PAGE_TAB]
    assert [tab.name for tab in tabs] == [name, said]
    assert [(await reader.read(tab.ref, deadline_s=5)).name for tab in tabs] == [name, said]
    assert await reader.names_of(tabs, deadline_s=5) == [name, said]
    other = reader_of(FakeApplication(objects, toolkit=("Qt", "6.8")))
    assert (await other.read(tabs[0].ref, deadline_s=5)).name == said


def rich(blocks: int, levels: int) -> FakeApplication:
    """A field of Chromium with so many blocks of text side by side, so deep within one another."""
    objects = {"/field": FakeObject(ENTRY, text=calls.EMBEDDED, children=["/level/0"])}
    for level in range(levels):
        inner = [f"/level/{level + 1}"] if level + 1 < levels else [f"/block/{number}" for number in range(blocks)]
        objects[f"/level/{level}"] = FakeObject(PANEL, text=calls.EMBEDDED * len(inner), children=inner)
    objects |= {f"/block/{number}": FakeObject(PARAGRAPH, text=f"Line {number}") for number in range(blocks)}
    return FakeApplication(objects, toolkit=("Chromium", "156"))


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(("blocks", "levels"), [(2, 1), (2, 10), (3000, 1)])
async def test_a_text_of_many_or_deep_blocks_is_read_whole(blocks: int, levels: int) -> None:
    read = await actor_of(rich(blocks, levels)).read_text(Ref(ROOT.bus, "/field"), "the field")
    assert read.splitlines() == [f"Line {number}" for number in range(blocks)]


@pytest.mark.requires("observe.chromium")
@pytest.mark.parametrize(("blocks", "levels"), [(2, 50), (8000, 1)])
async def test_a_text_of_too_many_or_too_deep_blocks_is_refused(blocks: int, levels: int) -> None:
    with pytest.raises(ActionRefused, match="more blocks"):
        await actor_of(rich(blocks, levels)).read_text(Ref(ROOT.bus, "/field"), "the field")
