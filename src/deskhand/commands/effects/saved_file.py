"""The verdict on saving: judged by the file, never by the window alone (docs/effects.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import anyio

from deskhand.commands.effects.diff import Compare
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.message_box import name_of, text_of
from deskhand.commands.effects.snapshot import Before, FileBefore, try_observe
from deskhand.commands.window_lookup import belongs
from deskhand.core.command import Effect
from deskhand.core.file_stamp import Stamp
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Quiet

_FIRST_S: Final = 0.3
"""Most programs have written a file by then; afterwards the program is waited for until it is quiet."""
_LONGEST_S: Final = 15.0
_AGAIN_S: Final = 0.02
"""Polling interval of the file: no event reports that it was written."""
_QUIET_S: Final = 0.25
"""First wait for the program to get quiet, doubled each time: the file is checked in between, and periodic activity is
recognised only after a while.
"""
_SLOW_S: Final = 1.0
_REST_S: Final = 0.5
"""A file that its program always has open counts as written once it is unchanged for this long."""
_UNMARKED_S: Final = 3.0
_FINISHED_S: Final = 0.3
_MESSAGE: Final = 300


async def wait_for_saving(desktop: Desktop, earlier: Before, file: FileBefore, compare: Compare) -> Finding:
    """Wait until the file of the window was written and closed, a dialog opened instead, or its program is quiet
    without having written it.
    """
    saving = _Saving(desktop, earlier, file, compare)
    end = anyio.current_time() + _LONGEST_S
    found, busy, quiet_s = await saving.found_in(_FIRST_S), False, _QUIET_S
    while found is None and (left := end - anyio.current_time()) > 0:
        settled = await desktop.settle(earlier.window, deadline_s=min(quiet_s, left))
        found = await saving.found_in(_AGAIN_S)
        busy, quiet_s = settled.reason is Quiet.DEADLINE, 2 * quiet_s
        if not busy and not saving.goes_on:
            break
    if found is None and file.unsaved:  # a program that still marks it unsaved may be writing in another thread
        found = await saving.found_in(_SLOW_S)
    if found is not None and found.effect is Effect.CONFIRMED and file.path is not None:
        desktop.note_file(file.window, file.path)
        return await saving.checked(found)
    return found or await saving.not_written(busy=busy)


async def without_known_file(desktop: Desktop, earlier: Before, file: FileBefore, found: Finding) -> Finding:
    """The verdict on saving if no file is known: `found` is the effect seen in the window, which proves no file.

    A dialog that asks for a name may be the expected effect, and saves nothing. A title that lost its mark is the
    program's own report of having saved.
    """
    windows = await desktop.windows()
    root = file.window_now(windows)
    if root is not None and (dialog := _dialog_over(root, earlier, windows)):
        seen = await try_observe(desktop, dialog)
        if seen is not None and any(c.type is Role.TEXTBOX and "editable" in c.states for c in seen.controls):
            message = f"{name_of(dialog)} asks for a name, and nothing is saved before it has one"
            return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
        return Finding(Effect.PARTIAL, f"nothing is saved yet: {await text_of(desktop, dialog)}", retry_safe=False)
    if file.unsaved and root is not None and not root.unsaved:
        return Finding(Effect.CONFIRMED, f'"{root.name}" shows no unsaved changes any more', retry_safe=False)
    message = f"{found.message}; whether anything was saved is not known: {file.why}"
    return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)


def _dialog_over(root: TargetInfo, earlier: Before, windows: Sequence[TargetInfo]) -> TargetInfo | None:
    """A dialog that opened over a window."""
    before = {window.handle for window in earlier.windows}
    added = (w for w in windows if w.type is Role.DIALOG and w.handle not in before and w.pid == root.pid)
    return next((window for window in added if belongs(window, root, windows)), None)


def written(desktop: Desktop, file: FileBefore) -> str:
    """A sentence: the file of the window was written and closed since; empty if not, or not known."""
    now = file.stamp_now()
    if file.path is None or now is None or now == file.stamp:
        return ""
    if not file.held_open and desktop.is_writing(file.window, file.path):
        return ""
    return f"{file.path.name} was written ({now.size} bytes)"


@dataclass(slots=True)
class _Saving:
    """One attempt to save. `goes_on`: at the latest check the file was being written."""

    desktop: Desktop
    earlier: Before
    file: FileBefore
    compare: Compare
    goes_on: bool = False
    latest: tuple[Stamp | None, float] = (None, 0.0)
    """The file's latest stamp, and the time of its first sight."""

    async def found_in(self, deadline_s: float) -> Finding | None:
        """The verdict within that time; None: not decided yet."""
        end = anyio.current_time() + deadline_s
        found = await self._look()
        while found is None and (left := end - anyio.current_time()) > 0:
            found = await self.desktop.wait_until(self._look, deadline_s=min(left, _AGAIN_S))
        return found

    async def _look(self) -> Finding | None:
        if (message := written(self.desktop, self.file)) and self._is_at_rest():
            return Finding(Effect.CONFIRMED, message, retry_safe=True)
        self.goes_on = self._changed()
        windows = await self.desktop.windows()
        root = self.file.window_now(windows)
        if root is None:
            return Finding(Effect.PARTIAL, f"{self._name} was not written; its window is gone", retry_safe=False)
        asking = _dialog_over(root, self.earlier, windows)
        return None if asking is None or self.goes_on else await self._interrupted(asking)

    def _changed(self) -> bool:
        return self.file.stamp_now() not in {None, self.file.stamp}

    def _is_at_rest(self) -> bool:
        """True if writing has ended, where the program's open file does not show that."""
        now, (before, since) = self.file.stamp_now(), self.latest
        if now != before:
            self.latest = now, anyio.current_time()
        return not self.file.held_open or (now == before and anyio.current_time() - since >= _REST_S)

    async def _interrupted(self, dialog: TargetInfo) -> Finding | None:
        """The question of a dialog, unless the dialog closes by itself, as one that shows progress does."""
        await self.desktop.settle(dialog, deadline_s=_FINISHED_S)
        if written(self.desktop, self.file) or all(w.handle != dialog.handle for w in await self.desktop.windows()):
            return None
        message = f"{self._name} is not saved yet: {await text_of(self.desktop, dialog)}"
        return Finding(Effect.PARTIAL, message, retry_safe=False)

    async def checked(self, found: Finding) -> Finding:
        """The finding that the file was written, unless a message, the window's title or the file contradicts: on a
        full disk programs leave an empty file, and another program may have written it.
        """
        unmarked = await self._finished()
        windows = await self.desktop.windows()
        root = self.file.window_now(windows)
        if root is not None and (dialog := _dialog_over(root, self.earlier, windows)):
            await self.desktop.settle(dialog, deadline_s=_FINISHED_S)
            if any(window.handle == dialog.handle for window in await self.desktop.windows()):
                message = f"{found.message}, and then: {await text_of(self.desktop, dialog)}"
                return Finding(Effect.PARTIAL, message, retry_safe=False)
        if not unmarked:
            message = f"{found.message}, and its window still shows unsaved changes"
            return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
        now = self.file.stamp_now()
        if now is not None and not now.size:
            message = f"{self._name} was written and is empty: check whether that is intended, or the disk is full"
            return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
        return found

    async def _finished(self) -> bool:
        """Wait until the program has finished too: until then gedit takes no keys, and titles have their mark. False if
        the mark stays.
        """

        async def is_unmarked() -> bool | None:
            return None if await self._still_unsaved() else True

        if self.file.unsaved:
            return bool(await self.desktop.wait_until(is_unmarked, deadline_s=_UNMARKED_S))
        if Trait.SAVES_FIRST not in self.file.window.traits:
            await self.desktop.settle(self.earlier.window, deadline_s=_FINISHED_S)
        return True

    async def not_written(self, *, busy: bool) -> Finding:
        """The verdict if nothing was written and no dialog opened: nothing to save, a failure, or not known."""
        file, texts = self.file, await self._new_texts()
        shown = f"; its window shows: {texts}" if texts else ""
        if self.goes_on or busy:
            goes_on = "is still being written" if self.goes_on else "was not written, and its program is still at work"
            return Finding(Effect.UNVERIFIABLE, f"{self._name} {goes_on}{shown}", retry_safe=False)
        if file.unsaved is False and not texts:
            message = f"nothing to save: {self._name} is as it was, and its window showed no unsaved changes"
            return Finding(Effect.CONFIRMED, message, retry_safe=True)
        message = f"{self._name} was not written{shown}"
        if file.unsaved and await self._still_unsaved():
            message = f"{message}; its window still shows unsaved changes"
            return Finding(Effect.PARTIAL, message, retry_safe=not texts)
        if not texts:
            message = f"{message}; whether there was anything to save is not known"
        return Finding(Effect.UNVERIFIABLE, message, retry_safe=False)

    async def _still_unsaved(self) -> bool:
        root = self.file.window_now(await self.desktop.windows())
        return root is not None and root.unsaved

    async def _new_texts(self) -> str:
        """Texts that appeared in the window, such as a bar with the reason why it cannot be saved."""
        seen = self.earlier.seen
        now = await try_observe(self.desktop, seen.window) if seen else None
        if seen is None or now is None:
            return ""
        added = self.compare(seen, now, self.earlier.target, self.earlier.expected.focus).added
        texts = [c.name or c.value for c in added if c.type in {Role.LABEL, Role.TEXT, Role.ALERT}]
        return " ".join(filter(None, texts))[:_MESSAGE]

    @property
    def _name(self) -> str:
        path = self.file.path
        return path.name if path else "the file"
