"""A file dialog: it is given a path, and judged by the file."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import anyio

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.message_box import ANSWER, name_of, text_of
from deskhand.commands.effects.snapshot import read_back, require_usable
from deskhand.commands.techniques.unexposed_file_dialog import exposes_nothing, open_by_keys, refusal_to_save
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import belongs, front_window, last_or_observed, outermost
from deskhand.core.command import Effect, Route
from deskhand.core.document_lock import lock_of
from deskhand.core.errors import UNREADABLE, ActionRefused, ElementNotFound
from deskhand.core.file_stamp import Stamp, size_of, stamp_of
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait, comparable_name
from deskhand.core.text import is_text
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_WRITTEN_S: Final = 15.0
_REST_S: Final = 1.0
"""A file without a window named after it, such as an export, is complete once it is unchanged for this long."""
_IGNORED_S: Final = 1.0
_PRESSES: Final = 3
_OPENED_S: Final = 3.0
_ASK_FOR_FIELD: Final = Chord("l", ("ctrl",))
_FILES: Final = frozenset({Role.LIST, Role.TABLE, Role.TREE})
_SAVING: Final = re.compile(r"save( as)?|export", re.IGNORECASE)
_REPLACING: Final = re.compile(r"replace|overwrite|yes", re.IGNORECASE)
_CONFIRMING: Final = re.compile(rf"{_SAVING.pattern}|open|ok|select|choose", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FileChoice:
    """An absolute path. To save, `create`: the file must not exist yet; `overwrite`: it may. Saving over the open file
    needs neither.
    """

    path: Path
    create: bool = False
    overwrite: bool = False

    @property
    def writes(self) -> bool:
        return self.create or self.overwrite


async def choose(tools: ToolContext, call: Call, choice: FileChoice) -> ToolOutcome:
    """Give the open file dialog a path and confirm it. Raises: ActionRefused, ElementNotFound."""
    desktop, path = tools.desktop, choice.path
    _require_path(path)
    root = call.need_window()
    dialog = await front_window(desktop, root)
    own = shows(desktop, root, path)
    _check_path(path, choice, own=own)
    if dialog.type is not Role.DIALOG:
        raise ElementNotFound("no file dialog is open", fix="open one first")
    if dialog.handle == root.handle:
        root = _owner(await desktop.windows(), dialog)
        own = own or shows(desktop, root, path)
    seen = await last_or_observed(desktop, dialog)
    if exposes_nothing(seen):
        if choice.writes:
            raise refusal_to_save(dialog)
        tools.delivered = True
        return await open_by_keys(desktop, root, dialog, path)
    if not _fields(seen) and not any(control.type in _FILES for control in seen.controls):
        raise _without_field(dialog)
    writes = _will_write(dialog, _button(seen), choice, own=own)
    decided = replace(choice, overwrite=writes and (own or choice.overwrite))
    ended = await _confirm(tools, call, root, seen, decided)
    if ended.effect is not Effect.CONFIRMED:
        return ToolOutcome(None, ended.effect, Route.ACCESSIBILITY, ended.message, retry_safe=False)
    desktop.note_file(root if writes else dialog, path)  # an opened file may be in a window of its own
    return ToolOutcome({"path": str(path)}, ended.effect, Route.ACCESSIBILITY, ended.message, retry_safe=False)


async def write_through(tools: ToolContext, call: Call, dialog: TargetInfo, choice: FileChoice) -> Finding:
    """Write a file through a dialog of the call's window that exports, or saves a copy: no window is named after it.

    The file is there then, and may still be written to. Raises: ActionRefused, ElementNotFound.
    """
    seen = await tools.desktop.observe(dialog, picture=False)
    ended = await _confirm(tools, call, call.need_window(), seen, choice, rest_s=0.0)
    return Finding(ended.effect, ended.message)


async def _confirm(
    tools: ToolContext, call: Call, root: TargetInfo, seen: Observation, choice: FileChoice, *, rest_s: float = _REST_S
) -> "_End":
    """Enter the path, press the button and wait for the end; `seen`: the dialog. Raises: ActionRefused."""
    desktop, dialog, path = tools.desktop, seen.window, choice.path
    button = _button(seen)
    tools.delivered = True
    await _enter_path(desktop, dialog, _focused(seen), path)
    button = await require_usable(desktop, call, await read_back(desktop, button))
    open_before = frozenset(window.handle for window in await desktop.windows())
    writing = _Writing(
        desktop, root, dialog, path, choice.writes, choice.overwrite, stamp_of(path), open_before, rest_s
    )
    await desktop.do_action(button)
    await writing.press_ignored(button)
    return await writing.end()


def _will_write(dialog: TargetInfo, button: TargetInfo, choice: FileChoice, *, own: bool) -> bool:
    """True if the file is to be written. Raises: ActionRefused if it would be without permission."""
    saves = _saves(button) and not _is_folder(choice.path)
    if choice.writes or (own and saves):
        if not own:
            _check_lock(choice.path)
        return True
    if saves:
        message = f"{name_of(dialog)} saves, and would overwrite {choice.path}"
        raise ActionRefused(message, fix="set overwrite=true, or choose another name, with create=true")
    return False


async def _enter_path(desktop: Desktop, dialog: TargetInfo, focused: TargetInfo | None, path: Path) -> None:
    """Raises: ActionRefused; as `_opened_field`."""
    field = focused or await _opened_field(desktop, dialog)
    named = _path_in(field, path)
    await desktop.set_text(field, named)
    if await desktop.read_text(field) != named:
        raise ActionRefused(f"the field of {dialog.describe} does not take the path {named!r}")


def _path_in(field: TargetInfo, path: Path) -> str:
    """Return a path as the program of a field names it."""
    return "Z:" + str(path).replace("/", "\\") if Trait.WINDOWS_PATHS in field.traits else str(path)


@dataclass(frozen=True, slots=True)
class _End:
    """The end of the dialog; `effect` None: the file is there, and may still be written to."""

    message: str
    effect: Effect | None


@dataclass(frozen=True, slots=True)
class _Writing:
    """The end of a confirmed file dialog. `root` is the window it belongs to, or itself.

    `replaces`: an existing file may be replaced, without another decision; `before` is its stamp. `open_before`: the
    handles of the windows before. `rest_s`: as `_REST_S`.
    """

    desktop: Desktop
    root: TargetInfo
    dialog: TargetInfo
    path: Path
    writes: bool
    replaces: bool
    before: Stamp | None
    open_before: frozenset[str]
    rest_s: float = _REST_S
    agreed: set[str] = field(default_factory=set[str])
    """Handles of the questions that were answered; they close in a moment."""

    async def press_ignored(self, button: TargetInfo) -> None:
        """Press the button of a dialog that opens again while nothing comes of it.

        GTK 3 ignores it while the dialog loads its first folder.
        """
        with suppress(*UNREADABLE):  # it has closed meanwhile
            for _ in range(0 if self.writes else _PRESSES):
                if await self.desktop.wait_until(self._look, deadline_s=_IGNORED_S):
                    return
                await read_back(self.desktop, button)
                await self.desktop.do_action(button)

    async def end(self) -> _End:
        """Wait for the end, within a timeout."""
        end = anyio.current_time() + _WRITTEN_S
        while (left := end - anyio.current_time()) > 0:
            there = await self.desktop.wait_until(self._look, deadline_s=left)
            if there is None or there.effect:
                return there or await self._not_ended()
            later = await self.desktop.wait_until(self._look_for_more, deadline_s=self.rest_s) or await self._look()
            if later and later.effect:
                return later
            if later == there:
                return _End(there.message, Effect.CONFIRMED)
        return await self._not_ended()

    async def _look(self) -> _End | None:
        """Return None while nothing is decided."""
        windows = await self.desktop.windows()
        alert = next((w for w in windows if self._is_alert(w, windows)), None)
        if alert is not None and await self._agreed(alert):
            return None
        is_open = any(w.handle == self.dialog.handle for w in windows)
        if alert is not None:
            message = await text_of(self.desktop, alert)
            written = self._written(windows) if self.writes and not is_open else None  # a report, or an error after all
            return (
                _End(f"{written.message}; {message}", Effect.UNVERIFIABLE) if written else _End(message, Effect.PARTIAL)
            )
        if is_open:
            return None
        if self.root.handle != self.dialog.handle and not any(w.handle == self.root.handle for w in windows):
            return _End(f"{name_of(self.root)} is gone", Effect.PARTIAL)
        if not self.writes:
            return _End(f"the dialog is gone; {self.path.name} was chosen", Effect.CONFIRMED)
        return self._written(windows)

    async def _agreed(self, alert: TargetInfo) -> bool:
        """Agree to a question about replacing the file; that was decided before. True if it is such a question."""
        if alert.handle in self.agreed:
            return True
        if not self.replaces:
            return False
        seen = await self.desktop.observe(alert, picture=False)
        buttons = [c for c in seen.controls if c.type is Role.BUTTON and _REPLACING.fullmatch(comparable_name(c.name))]
        names_file = any(self.path.name in (control.name or control.value) for control in seen.controls)
        if len(buttons) != 1 or not names_file:
            return False
        self.agreed.add(alert.handle)
        await self.desktop.do_action(buttons[0])
        return True

    def _written(self, windows: Sequence[TargetInfo]) -> _End | None:
        stamp = stamp_of(self.path)
        if stamp is None or not stamp.size or stamp == self.before:
            return None
        written = f"{self.path.name} was written ({stamp.size} bytes)"
        was_so = self.path.name in self.root.name  # such as a file of that name in another folder
        if not was_so and any(w.handle == self.root.handle and self.path.name in w.name for w in windows):
            return _End(f"{written}, and the window is named after it", Effect.CONFIRMED)
        return _End(written, None)

    async def _look_for_more(self) -> _End | None:
        """A decided end."""
        seen = await self._look()
        return seen if seen and seen.effect else None

    def _is_alert(self, window: TargetInfo, windows: Sequence[TargetInfo]) -> bool:
        """True for a dialog that opened, unless over another window; a plug-in may show it, as for GIMP's exports."""
        opened = window.type is Role.DIALOG and window.handle not in self.open_before
        if not opened:
            return False
        return outermost(window, windows).handle == self.dialog.handle or belongs(window, self.root, windows)

    async def _not_ended(self) -> _End:
        """The end after the timeout."""
        if any(w.handle == self.dialog.handle for w in await self.desktop.windows()):
            lacking = f"{name_of(self.dialog)} was still open after"
        elif self.before is not None and stamp_of(self.path) == self.before:
            lacking = f"{self.path.name} was not written over after"
        elif size_of(self.path):
            lacking = f"{self.path.name} was still being written after"
        else:
            lacking = f"{self.path.name} was {'empty' if self.path.exists() else 'not there'} after"
        return _End(f"{lacking} {_WRITTEN_S:g} s", Effect.PARTIAL)


def _owner(windows: Sequence[TargetInfo], dialog: TargetInfo) -> TargetInfo:
    """The window that a dialog belongs to; itself if that is not known."""
    others = [window for window in windows if window.pid == dialog.pid and window.type is not Role.DIALOG]
    owner = next((window for window in windows if window.handle == dialog.parent), None)
    return owner or (others[0] if len(others) == 1 else dialog)


def shows(desktop: Desktop, root: TargetInfo, path: Path) -> bool:
    """True if it is certainly the file that is open in a window."""
    shown = desktop.file_of(root).if_certain
    return shown is not None and (shown == path or shown.resolve() == path.resolve())


def check_new_path(path: Path, *, overwrite: bool, own: bool) -> None:
    """Refuse a path that a document must not be saved to; `own`: it is its own file. Raises: ActionRefused."""
    _require_path(path)
    if _is_folder(path):
        raise ActionRefused(f"{path} is a folder", fix="add the name of a file")
    _check_path(path, FileChoice(path, create=True, overwrite=overwrite), own=own)
    if not own:
        _check_lock(path)


def _require_path(path: Path) -> None:
    if not path.is_absolute():
        raise ActionRefused(f"{str(path)!r} is not an absolute path", fix="begin it with /")
    if not is_text(str(path)):
        raise ActionRefused(f"{str(path)!r} has characters that cannot be typed", fix="choose another name")


def _check_path(path: Path, choice: FileChoice, *, own: bool) -> None:
    try:
        there, in_folder = path.exists(), path.parent.is_dir()
    except OSError as error:
        raise ActionRefused(f"{path} cannot be read: {error.strerror}", fix="choose another name") from error
    writes = choice.writes
    if choice.create and there and not (choice.overwrite or own):
        raise ActionRefused(f"{path} exists already", fix="choose another name, or replace it with overwrite=true")
    if writes and not in_folder:
        raise ActionRefused(f"the folder {path.parent} is not there", fix="make it first, or choose one that is there")
    if not writes and not there:
        raise ActionRefused(f"{path} does not exist", fix="create=true lets it name a new file, in a dialog that saves")


def _check_lock(path: Path) -> None:
    """Raises: ActionRefused if another user or window has the file open."""
    if lock := lock_of(path):
        raise ActionRefused(f"{path} is locked: {lock.holder} has it open", fix=f"choose another name, or {lock.fix}")


def _is_folder(path: Path) -> bool:
    return path.is_dir()


def _saves(button: TargetInfo) -> bool:
    return _SAVING.fullmatch(comparable_name(button.name)) is not None


def _fields(seen: Observation) -> list[TargetInfo]:
    return [c for c in seen.controls if c.type is Role.TEXTBOX and {"enabled", "editable"} <= c.states]


def _focused(seen: Observation) -> TargetInfo | None:
    """The field for the name, which has the keyboard unless the user moved it: other fields belong to the program."""
    return next((field for field in _fields(seen) if "focused" in field.states), None)


async def _opened_field(desktop: Desktop, dialog: TargetInfo) -> TargetInfo:
    """The field of a GTK dialog for opening, which shows the folder as a path of buttons until a field is requested; if
    none appears, the only field. Raises: ElementNotFound.
    """

    async def field() -> TargetInfo | None:
        return _focused(await desktop.observe(dialog, picture=False))

    await desktop.activate(dialog)
    await desktop.press([_ASK_FOR_FIELD])
    found = await wait_for_program(desktop, dialog, field, deadline_s=_OPENED_S)
    if found is not None:
        return found
    fields = _fields(await desktop.observe(dialog, picture=False))
    if len(fields) > 1:
        await desktop.activate(dialog)  # another window of the program may have taken the keyboard since
        found = await desktop.wait_until(field, deadline_s=_OPENED_S)
        if found is not None:
            return found
        message = f"{name_of(dialog)} has {len(fields)} fields, and none has the keyboard"
        raise ElementNotFound(message, fix="click the one for the file's name, then try again")
    if not fields:
        raise _without_field(dialog)
    return fields[0]


def _without_field(dialog: TargetInfo) -> ElementNotFound:
    return ElementNotFound(f"{name_of(dialog)} has no field for a file name", fix=f"if it is a message, {ANSWER}")


def _button(seen: Observation) -> TargetInfo:
    """The button that confirms by its name; in other words and languages, the one that Enter presses."""
    offered = [c for c in seen.controls if c.type is Role.BUTTON]
    buttons = [c for c in offered if _CONFIRMING.fullmatch(comparable_name(c.name))]
    buttons = buttons or [c for c in offered if "default" in c.states]
    if not buttons:
        raise ElementNotFound(
            f"{name_of(seen.window)} has no button that confirms", fix=f"if it is a message, {ANSWER}"
        )
    return buttons[-1]
