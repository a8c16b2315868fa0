"""A list of ordinary actions in applications of every kind; the application's own state decides which of them worked.

Nothing that decides comes from accessibility: fixtures and gedit write their state to a file, LibreOffice reports it
over UNO, the X server lists windows and menus.
"""

import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from anyio import to_thread
from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.xobject.drawable import Window

from deskhand.core.command import Effect, Result
from deskhand.core.errors import DeskhandError
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.session.applications import applications as installed
from desktop.linux.acting import Agent
from desktop.linux.changing_office import open_truth
from desktop.linux.fixture import JAVA, linux_desktop
from documents import Text, write_odt
from drawings import Shape, write_drawing
from spreadsheets import Sheet, write_ods
from support import QT6, ROOT

APPS: Final = ROOT / "tests/apps"
SYSTEM: Final = "/usr/bin/python3"
FOLDER: Final = "{folder}"
"""The application's folder, in the arguments of a deed."""
SECOND: Final = "second"
"""Name of a file in it that is not open: `second.txt`, and of LibreOffice one of its own kind."""
WORKS_S: Final = 15.0
SHOWS_S: Final = 20.0
OPENS_S: Final = 60.0
_TALL: Final = 90
"""Pixels of a control whose text begins with its third part."""

State = Mapping[str, JsonValue]
Worked = Callable[[State, State], bool]
"""Decides by an application's state before and after."""


def turned(key: str, value: JsonValue) -> Worked:
    """It has this value now, and had another."""
    return lambda before, now: now.get(key) == value != before.get(key)


def is_now(key: str, value: JsonValue) -> Worked:
    return lambda _, now: now.get(key) == value


def changed(*keys: str) -> Worked:
    """One of these differs."""
    return lambda before, now: any(before.get(key) != now.get(key) for key in keys)


def more(key: str, by: int = 1) -> Worked:
    """It counts so many more, or its list has so many more."""

    def worked(before: State, now: State) -> bool:
        return _count(now.get(key)) == _count(before.get(key)) + by

    return worked


def _count(value: JsonValue) -> float:
    if isinstance(value, list):
        return len(value)
    return value if isinstance(value, int | float) else 0


def cell(name: str, text: str) -> Worked:
    """A cell of a spreadsheet shows a text."""

    def worked(_: State, now: State) -> bool:
        used = now.get("used")
        told = used.get(name) if isinstance(used, dict) else None
        return (told[1] if isinstance(told, list) else "") == text

    return worked


def reads(key: str, text: str) -> Worked:
    """A text, or one in a list, contains it now and did not before."""

    def worked(before: State, now: State) -> bool:
        return text in json.dumps(now.get(key)) and text not in json.dumps(before.get(key))

    return worked


def in_front(title: str) -> Worked:
    return lambda before, now: title in str(now.get("active")) and title not in str(before.get("active"))


def shown_anew(title: str) -> Worked:
    """A window has a title with that text which none had."""

    def worked(before: State, now: State) -> bool:
        new = {*_list(now, "windows")} - {*_list(before, "windows")}
        return any(title in each for each in new)

    return worked


def opened(title: str) -> Worked:
    return lambda before, now: _titles(now, title) > _titles(before, title)


def closed(title: str) -> Worked:
    return lambda before, now: _titles(now, title) < _titles(before, title)


def _titles(state: State, title: str) -> int:
    return sum(title in window for window in _list(state, "windows"))


def _list(state: State, key: str) -> list[str]:
    found = state.get(key)
    return [str(each) for each in found] if isinstance(found, list) else []


def written(name: str) -> Worked:
    """A file of that name is in the application's folder, and was not."""
    return lambda before, now: name in _list(now, "files") and name not in _list(before, "files")


def every(*tests: Worked) -> Worked:
    return lambda before, now: all(test(before, now) for test in tests)


@dataclass(frozen=True, slots=True)
class Deed:
    """An action on a control of that role and name (`name` empty: the first one), and the judge of it.

    `dialog`: it is in the dialog that is open. `later`: the state after so many further deeds decides. `shows`: the
    program makes its effect visible, or exposes it. `at`: the control at whose place it is, as its arguments. `to`:
    that part of its width from there, for a drag.
    """

    tool: str
    role: Role | None
    name: str
    given: Mapping[str, JsonValue]
    worked: Worked
    dialog: bool = False
    later: int = 0
    shows: bool = True
    to: float | None = None

    def __str__(self) -> str:
        parts = [self.tool, str(self.role or ""), repr(self.name) if self.name else "", self._given]
        return " ".join(filter(None, parts))

    @property
    def _given(self) -> str:
        return json.dumps(self.given, ensure_ascii=False) if self.given else ""


def keys(text: str, worked: Worked, **more_: bool | int) -> Deed:
    """Keys to the control that has the keyboard."""
    return Deed("keyboard_input", None, "", {"keys": text}, worked, **more_)  # pyright: ignore[reportArgumentType] - its own fields


@dataclass(slots=True)
class Trial:
    """One deed and its result; `worked` is the application's own word."""

    deed: Deed
    effect: str
    evidence: str
    seconds: float
    before: State
    worked: bool = False

    @property
    def confirmed(self) -> bool:
        return self.effect == Effect.CONFIRMED

    def __str__(self) -> str:
        word = "worked" if self.worked else "did not work"
        return f"{self.deed}: {word}, {self.effect} in {self.seconds:.2f} s: {self.evidence}"


@dataclass(slots=True)
class Share:
    """The trials of one application."""

    application: str
    trials: list[Trial] = field(default_factory=list[Trial])

    @property
    def worked(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.worked and trial.deed.shows]

    @property
    def confirmed(self) -> list[Trial]:
        return [trial for trial in self.worked if trial.confirmed]

    @property
    def missed(self) -> list[Trial]:
        return [trial for trial in self.worked if not trial.confirmed]

    @property
    def false(self) -> list[Trial]:
        """Confirmed, and it did not work."""
        return [trial for trial in self.trials if trial.confirmed and not trial.worked]

    @property
    def hidden(self) -> list[Trial]:
        """Those that worked, and whose effect the program shows and exposes nowhere."""
        return [trial for trial in self.trials if trial.worked and not trial.deed.shows]

    @property
    def idle(self) -> list[Trial]:
        return [trial for trial in self.trials if not trial.worked]

    def __str__(self) -> str:
        share = len(self.confirmed) / len(self.worked) if self.worked else 1.0
        slowest = max((trial.seconds for trial in self.hidden), default=0.0)
        return (
            f"{self.application:9} {len(self.trials):3} actions, {len(self.worked):3} worked, {len(self.confirmed):3} "
            f"confirmed ({share:6.1%}), {len(self.false)} false; {len(self.hidden)} without a visible effect "
            f"(slowest {slowest:.2f} s), {len(self.idle)} did not work"
        )


@dataclass
class Stage:
    """One application in front of its user; `ask` returns its own state."""

    desktop: LinuxDesktop
    window: TargetInfo
    ask: Callable[[], Awaitable[State]]
    folder: Path

    def __post_init__(self) -> None:
        self.agent = Agent(self.desktop, applications=installed({}, self.desktop.environment))

    async def state(self) -> State:
        """Its own state, the windows and the number of menus that the X server shows, the files in its folder."""
        files: list[JsonValue] = [*sorted(file.name for file in self.folder.iterdir() if file.stat().st_size)]
        return {**await self.ask(), **shown_by_x11(self.desktop.environment["DISPLAY"]), "files": files}

    async def run(self, deeds: Sequence[Deed], share: Share) -> None:
        waiting: list[tuple[int, Trial]] = []
        for number, deed in enumerate(deeds):
            trial = await self.trial(deed)
            share.trials.append(trial)
            waiting.append((number + deed.later, trial))
            state = await self.state()
            for due, each in waiting:
                if due == number and each.deed.later:
                    each.worked = each.deed.worked(each.before, state)

    async def trial(self, deed: Deed) -> Trial:
        before = await self.state()
        began = monotonic()
        try:
            seen, target = await self.find(deed)
            given = self.given(deed) if target is None or deed.to is None else self.places(seen, target, deed.to)
            began = monotonic()
            result = await self.agent.act(deed.tool, seen, None if deed.to is not None else target, **given)
        except (DeskhandError, LookupError) as error:
            return Trial(deed, type(error).__name__, str(error), monotonic() - began, before)
        trial = Trial(deed, effect_of(result), evidence_of(result), monotonic() - began, before)
        trial.worked = not deed.later and await self.worked(deed, before)
        return trial

    async def worked(self, deed: Deed, before: State) -> bool:
        async def look() -> bool | None:
            return True if deed.worked(before, await self.state()) else None

        return bool(await self.desktop.wait_until(look, deadline_s=WORKS_S))

    def given(self, deed: Deed) -> dict[str, JsonValue]:
        """The arguments of a deed; files are in the application's folder."""
        folder = str(self.folder)
        return {
            key: each.replace(FOLDER, folder) if isinstance(each, str) else each for key, each in deed.given.items()
        }

    async def find(self, deed: Deed) -> tuple[Observation, TargetInfo | None]:
        """The window of a deed and its target. Raises: LookupError (it does not show)."""
        there: list[str] = []

        async def look() -> tuple[Observation, TargetInfo | None] | None:
            windows = await self.desktop.windows()
            own = next((window for window in windows if window.handle == self.window.handle), windows[0])
            if deed.role is Role.WINDOW:
                named = next((window for window in windows if deed.name in window.name), None)
                return (await self.desktop.observe(own, picture=False), replace(named, id="1")) if named else None
            dialogs = [window for window in windows if window.handle != own.handle and window.name]
            if deed.dialog and not dialogs:
                return None
            seen = await self.desktop.observe(dialogs[0] if deed.dialog else own, picture=False)
            if deed.role is None:
                return seen, None
            there[:] = [control.describe for control in seen.controls]
            found = next((c for c in seen.controls if is_meant(c, deed)), None)
            return (seen, replace(found, id="1")) if found else None

        found = await self.desktop.wait_until(look, deadline_s=SHOWS_S)
        if found is None:
            raise LookupError(f"no such control among {there}")
        return found

    def places(self, seen: Observation, target: TargetInfo, to: float) -> dict[str, JsonValue]:
        """The arguments for a click on a control, or for a drag along a part of it."""
        window, place = seen.window.rect, target.rect
        x = place.left + 30 if to else place.center.x
        y = place.top + (30 if place.height > _TALL else place.height // 3) if to else place.center.y
        at = (x - window.left) / window.width, (y - window.top) / window.height
        if not to:
            return {"x": at[0], "y": at[1]}
        end = at[0] + to * place.width / window.width
        return {"start_x": at[0], "start_y": at[1], "end_x": end, "end_y": at[1]}


def is_meant(control: TargetInfo, deed: Deed) -> bool:
    """True for a control that shows, of the role and with the name of a deed."""
    return control.type is deed.role and deed.name in {"", control.name, control.value} and not control.rect.empty


def effect_of(result: Result) -> str:
    return str(result.effect or result.status)


def evidence_of(result: Result) -> str:
    return result.evidence or (result.error.message if result.error else "")


def shown_by_x11(name: str) -> dict[str, JsonValue]:
    """The titles of the windows of a display, and the number of its menus."""
    display = Display(name)
    try:
        tree = display.screen().root.query_tree().children
        found = [facts for window in tree if (facts := _window(display, window)) is not None]
        titles: list[JsonValue] = [*sorted(title for title, _ in found if title)]
        return {"windows": titles, "menus": sum(is_menu for _, is_menu in found), "active": _active(display)}
    finally:
        display.close()


def _window(display: Display, window: Window) -> tuple[str, bool] | None:
    """The title of a window that is shown, and True for a menu."""
    try:
        attributes = window.get_attributes()
        if attributes.map_state != X.IsViewable:
            return None
        titles = [window, *window.query_tree().children]  # the window manager has it in a frame
        name = next((title for each in titles if (title := _title(display, each))), "")
        kind = window.get_full_property(display.intern_atom("_NET_WM_WINDOW_TYPE"), X.AnyPropertyType)
        kinds = [display.get_atom_name(atom) for atom in kind.value] if kind else []
    except XError:  # it closed meanwhile
        return None
    return name, any("MENU" in each or "COMBO" in each for each in kinds)


def _active(display: Display) -> str:
    root, name = display.screen().root, display.intern_atom("_NET_ACTIVE_WINDOW")
    found = root.get_full_property(name, X.AnyPropertyType)
    try:
        return _title(display, display.create_resource_object("window", found.value[0])) if found else ""
    except XError:  # it closed meanwhile, or none is
        return ""


def _title(display: Display, window: Window) -> str:
    text = window.get_full_property(display.intern_atom("_NET_WM_NAME"), X.AnyPropertyType)
    return bytes(text.value).decode(errors="replace") if text else ""


def state_file(file: Path) -> Callable[[], Awaitable[State]]:
    def read() -> State:
        told: dict[str, JsonValue] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return told

    return partial(to_thread.run_sync, read)


FORMS: Final[Mapping[str, tuple[tuple[str, ...], Path]]] = {
    "GTK 4": ((SYSTEM, str(APPS / "everyday_gtk4.py")), Path(SYSTEM)),
    "Qt 5": ((SYSTEM, str(APPS / "everyday_qt.py"), "PyQt5"), Path(SYSTEM)),
    "Qt 6": ((str(QT6), str(APPS / "everyday_qt.py"), "PySide6"), QT6),
    "Swing": ((*JAVA, str(APPS / "EverydaySwing.java")), Path("/usr/share/java/java-atk-wrapper.jar")),
    "Chromium": ((SYSTEM, str(APPS / "everyday_chromium.py")), Path("/usr/bin/chromium")),
}
KINDS: Final = {"Calc": "ods", "Writer": "odt", "Impress": "odp"}


@asynccontextmanager
async def staged(application: str, folder: Path, desktop: LinuxDesktop | None = None) -> AsyncGenerator[Stage]:
    """An application with its own state, on a desktop of its own unless one is given."""
    (folder / f"{SECOND}.txt").write_text("second file\n", encoding="utf-8")
    async with AsyncExitStack() as stack:
        desktop = desktop or await stack.enter_async_context(linux_desktop(folder / "desktop"))
        if application in FORMS:
            file = folder / f"{application}.json"
            started = Application("everyday", (*FORMS[application][0], str(file)), window="^Everyday$")
            yield Stage(desktop, await desktop.launch(started, deadline_s=OPENS_S), state_file(file), folder)
        elif application == "gedit":
            yield await _gedit(desktop, folder)
        else:
            pipe = f"deskhand-test-{secrets.token_hex(8)}"
            accepts = ("soffice", f"--{application.lower()}", f"--accept=pipe,name={pipe};urp;")
            document = _document(application, folder / f"everyday.{KINDS[application]}")
            _document(application, folder / f"{SECOND}.{KINDS[application]}")
            started = Application("office", (*accepts, str(document)), window="^everyday")
            window = await desktop.launch(started, deadline_s=OPENS_S)
            truth = await stack.enter_async_context(open_truth(pipe, fill=False))

            async def ask() -> State:
                told: dict[str, JsonValue] = json.loads(await truth.ask("facts"))
                return {**told, "saved": document.stat().st_mtime_ns}

            yield Stage(desktop, window, ask, folder)


def _document(application: str, file: Path) -> Path:
    if application == "Calc":
        return write_ods(file, Sheet(filled=(0, 0)))
    if application == "Writer":
        return write_odt(
            file, Text("First words here, and many more that fill the whole line up to its end"), Text("Last words")
        )
    return write_drawing(file, [Shape("Box", (4, 4, 12, 4), "Boxed")], [Shape("Other", (4, 4, 12, 4), "Second")])


async def _gedit(desktop: LinuxDesktop, folder: Path) -> Stage:
    """gedit with a plugin that writes its state; the plugin comes from its folder of plugins."""
    config = Path(desktop.environment["XDG_CONFIG_HOME"]) / "glib-2.0/settings/keyfile"
    plugins = Path(desktop.environment["XDG_DATA_HOME"]) / "gedit/plugins"
    for folder_of in (config.parent, plugins.parent):
        folder_of.mkdir(parents=True, exist_ok=True)
    plugins.symlink_to(APPS / "gedit_told")
    config.write_text("[org/gnome/gedit/plugins]\nactive-plugins=['told']\n", encoding="utf-8")
    file, text = folder / "gedit.json", folder / "everyday.txt"
    text.write_text("one two three four five six seven eight nine ten words of a long line\n" * 60, encoding="utf-8")
    environment = (f"EVERYDAY_STATE={file}", "GSETTINGS_BACKEND=keyfile", "PYTHONDONTWRITEBYTECODE=1")
    started = Application("gedit", ("env", *environment, "gedit", "--standalone", str(text)), window="everyday.txt")
    window = await desktop.launch(started, deadline_s=OPENS_S)
    ask = state_file(file)

    async def with_file() -> State:
        return {**await ask(), "saved": text.stat().st_mtime_ns}

    return Stage(desktop, window, with_file, folder)
