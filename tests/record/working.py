"""A user who works in an application while a recorder watches, and the recording carried out in a fresh one.

The user is a process of its own with its own X connection; the application's own file tells what came of it.
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from anyio import to_thread

import deskhand
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.target import TargetInfo
from deskhand.desktop.backends import recorded_input
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.models import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.record.book import Book
from deskhand.record.recorder import Recorder
from deskhand.record.scene import Scene
from desktop.linux.everyday import FORMS, OPENS_S
from desktop.linux.fixture import linux_desktop
from documents import Text, read_odt, write_odt
from support import ROOT
from windows_programs import build_program

PASSWORD: Final = "hunter2"  # noqa: S105 - nobody's
_PERSON: Final = ROOT / "tests/apps/person.py"
_PAUSE_S: Final = 0.3
"""Time that a user takes between two actions."""
_FOUND_S: Final = 15.0
_NO_WORK: Final = frozenset({"focus", "caret", "loaded", "menu", "notes_selected"})
"""Parts of a form's state that nobody works for: the widget with the keyboard, a time."""

State = Mapping[str, JsonValue]
Deed = tuple[str | int | float, ...]
"""`("click", NAME, PART)`: on the control of that name, at that part of its width; others as `person.py` takes them."""


@dataclass(frozen=True, slots=True)
class Work:
    """An application by its start command in a folder, what the user does in it, and its state."""

    application: Callable[[Path], Application]
    deeds: tuple[Deed, ...]
    state: Callable[[Path], State]


class Person:
    """The process of the user."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, _PERSON],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **environment},
            text=True,
        )

    async def do(self, *command: str | int | float) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(command)}\n")
        self._process.stdin.flush()
        assert await to_thread.run_sync(self._process.stdout.readline) == "\n"

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


async def recorded(work: Work, folder: Path) -> tuple[str, State]:
    """The playbook of a user's work, and the state it led to."""
    texts: list[str] = []
    async with opened_for(work, folder) as desktop:
        person = Person(desktop.environment)
        recorder = Recorder(desktop, Book("work"), lambda book: texts.append(book.text()))
        listen = partial(recorded_input, desktop.environment["DISPLAY"])
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(recorder.run, listen, _never)
                await _rest(3 * _PAUSE_S)
                for deed in work.deeds:
                    await person.do(*await aimed(desktop, deed))
                    await _rest(_PAUSE_S)
                await _rest(2 * _PAUSE_S)
                group.cancel_scope.cancel()
        finally:
            person.close()
        (folder / "recorded.yaml").write_text(texts[-1], encoding="utf-8")
        return texts[-1], work.state(folder)


async def replayed(work: Work, text: str, folder: Path) -> State:
    """The state after the playbook in a fresh application."""
    parameters = {"password": PASSWORD} if "${password}" in text else {}
    model = PlaybookModel(parse_playbook(text, "work.yaml"), parameters)
    async with opened_for(work, folder) as desktop:

        def opened(*_: object) -> nullcontext[LinuxDesktop]:
            return nullcontext(desktop)

        ending = await deskhand.run("Do it", model=model, opens=opened, out=folder / "log")
        assert ending.outcome is Outcome.SUCCESS, f"{ending.reason}\n{text}"
        await desktop.settle()
        return work.state(folder)


@asynccontextmanager
async def opened_for(work: Work, folder: Path) -> AsyncGenerator[LinuxDesktop]:
    """A desktop of its own, with the application."""
    await anyio.Path(folder).mkdir()
    async with linux_desktop(folder / "desktop") as desktop:
        window = await desktop.launch(work.application(folder), deadline_s=OPENS_S)
        await desktop.settle(window)
        yield desktop


async def aimed(desktop: LinuxDesktop, deed: Deed) -> Deed:
    """A deed with the place of its control."""
    if deed[0] != "click":
        return deed
    _, name, *rest = deed
    control = await _shown(desktop, str(name))
    part = float(rest[0]) if rest else 0.5
    return ("click", int(control.rect.left + control.rect.width * part), control.rect.center.y)


async def _shown(desktop: LinuxDesktop, name: str) -> TargetInfo:
    """The last control of a name, or of a role and name: `ROLE:NAME`."""
    role, _, name = name.rpartition(":")

    async def found() -> TargetInfo | None:
        for window in await desktop.windows():
            seen = await desktop.observe(window, picture=False, texts=False)
            named = [each for each in seen.controls if each.name == name and (not role or each.type == role)]
            if shown := [each for each in named if each.states & {"showing", "visible"}]:
                return shown[-1]
        return None

    await desktop.settle()
    control = await desktop.wait_until(found, deadline_s=_FOUND_S)
    assert control is not None, f"no {role} {name} is shown"
    return control


async def _rest(seconds: float) -> None:
    """A user's pause, which no event ends."""
    with anyio.move_on_after(seconds):
        await anyio.sleep_forever()


def _never(_: Scene) -> bool:
    return False


def _form(name: str, deeds: tuple[Deed, ...]) -> Work:
    def application(folder: Path) -> Application:
        return Application("everyday", (*FORMS[name][0], str(folder / "state.json")), window="^Everyday$")

    def state(folder: Path) -> State:
        told: dict[str, JsonValue] = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        return {key: value for key, value in told.items() if key not in _NO_WORK}

    return Work(application, deeds, state)


def _deeds(size: str, *others: Deed) -> tuple[Deed, ...]:
    """Work in the fields of a form. `size`: its combo box, as `ROLE:NAME`."""
    return (
        *(("click", name) for name in ("button:Press me", "button:Press me", "button:Silent", "Mark")),
        *(("click", name) for name in ("Agree", "Large", "textbox:Name")),
        *(("key", "ctrl+a"), ("type", "Grace Hopper"), ("click", "password:Secret"), ("key", "ctrl+a")),
        *(("type", PASSWORD), ("click", "textbox:Notes"), ("type", "one"), ("key", "Return"), ("type", "two")),
        *(("click", "listitem:Pear"), ("click", "spinbutton:Count", 0.2), ("key", "ctrl+a"), ("type", "7")),
        *(("key", "Tab"), ("click", size), ("click", "A5")),
        *others,
    )


_MENU: Final[tuple[Deed, ...]] = (
    *(("click", "File"), ("click", "Wrap lines"), ("click", "File"), ("click", "Count up")),
    *(("click", "File"), ("click", "Ask"), ("click", "textbox:Answer"), ("type", "fine"), ("click", "Take")),
    *(("click", "tab:Two"), ("click", "textbox:Filter"), ("type", "e")),
)
_PAGE: Final[tuple[Deed, ...]] = (
    *(("click", "Ask"), ("click", "textbox:Answer"), ("type", "fine"), ("click", "Take")),
    *(("click", "tab:Two"), ("click", "textbox:Filter"), ("type", "e")),
    *(("click", "textbox:Search"), ("type", "abc"), ("key", "Return")),
)


def _gedit(folder: Path) -> Application:
    (folder / "letter.txt").write_text("old\n", encoding="utf-8")
    return Application("gedit", ("gedit", str(folder / "letter.txt")), window="letter")


def _gedit_file(folder: Path) -> State:
    return {"text": (folder / "letter.txt").read_text(encoding="utf-8")}


def _writer(folder: Path) -> Application:
    write_odt(folder / "letter.odt", Text("old"))
    return Application("writer", ("soffice", "--writer", str(folder / "letter.odt")), window="^letter")


def _writer_file(folder: Path) -> State:
    return {"paragraphs": [str(each) for each in read_odt(folder / "letter.odt")]}


def _win32(folder: Path) -> Application:
    argv = (str(build_program("win32_oracle", folder)), str(folder / "state.json"))
    return Application("oracle", argv, window="^Oracle$")


def _win32_state(folder: Path) -> State:
    told: dict[str, JsonValue] = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    controls = told["controls"]
    assert isinstance(controls, dict)
    worked: dict[str, JsonValue] = {name: _worked_on(facts) for name, facts in controls.items()}
    return {"controls": worked, **{key: told[key] for key in ("pressed", "commands", "answers", "status_shown")}}


def _worked_on(facts: JsonValue) -> JsonValue:
    assert isinstance(facts, dict)
    return {key: facts.get(key) for key in ("text", "checked", "selected", "value")}


_WIN32: Final[tuple[Deed, ...]] = (
    *(("click", name) for name in ("button:Press me", "button:Press me", "Check me", "radio:Green")),
    *(("click", "textbox:Name"), ("key", "Home"), ("key", "shift+End"), ("type", "Grace Hopper")),
    *(("click", "password:Secret"), ("key", "Home"), ("key", "shift+End"), ("type", PASSWORD)),
    *(("click", "textbox:Notes"), ("key", "ctrl+End"), ("key", "Return"), ("type", "three")),
    *(("click", "listitem:Pear"), ("click", "cell:r1c0"), ("click", "combobox:Size")),
    *(("click", "Large"), ("click", "tab:Details"), ("click", "menu:View"), ("click", "menuitem:Refresh")),
    *(("click", "button:Dialog..."), ("click", "textbox:Answer"), ("type", "fine"), ("click", "button:OK")),
)

_TYPED: Final[tuple[Deed, ...]] = (
    *(("key", "ctrl+End"), ("type", "Dear Ada,"), ("key", "Return"), ("type", "see you"), ("key", "ctrl+s")),
)

WORKS: Final[Mapping[str, Work]] = {
    "GTK 4": _form("GTK 4", _deeds("combobox:Size", *_MENU)),
    "Qt 5": _form("Qt 5", _deeds("combobox:A4", *_MENU)),
    "Qt 6": _form("Qt 6", _deeds("combobox:A4", *_MENU)),
    "Swing": _form("Swing", _deeds("combobox:A4", *_MENU[2:])),
    "Chromium": _form("Chromium", _deeds("combobox:Size", *_PAGE)),
    "Win32": Work(_win32, _WIN32, _win32_state),
    "gedit": Work(_gedit, _TYPED, _gedit_file),
    "Writer": Work(_writer, _TYPED, _writer_file),
}

FORM: Final = _form(
    "Qt 5",
    (
        *(("click", "button:Press me"), ("click", "button:Silent"), ("click", "Agree"), ("click", "textbox:Name")),
        *(("key", "ctrl+a"), ("type", "Grace"), ("click", "combobox:A4"), ("click", "A5"), ("click", "listitem:Pear")),
    ),
)
"""Work that every form expresses."""
