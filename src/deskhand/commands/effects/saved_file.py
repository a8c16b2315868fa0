"""Whether what was to be saved was: judged by the file, never by what a window shows (docs/effects.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import anyio

from deskhand.commands.effects.findings import Finding
from deskhand.commands.effects.message_box import called, words_of
from deskhand.commands.effects.snapshot import Before, FileBefore, look_at
from deskhand.commands.effects.window_diff import difference
from deskhand.commands.window_lookup import belongs
from deskhand.core.command import Effect
from deskhand.core.file_stamp import Stamp
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Quiet

_FIRST_S: Final = 0.3
"""Most programs have written a file so soon; after that the program is waited for until it is quiet."""
_LONGEST_S: Final = 15.0
_AGAIN_S: Final = 0.02
"""So soon a file is looked at again: no window tells that it was written."""
_QUIET_S: Final = 0.25
"""So long the program is waited for, and twice as long each time again: in between the file is looked at, and what
repeats itself all the time is known as such only after a while."""
_SLOW_S: Final = 1.0
_REST_S: Final = 0.5
"""What its program keeps open is written when it stays as it is for so long."""
_UNMARKED_S: Final = 3.0
_FINISHED_S: Final = 0.3
_MESSAGE: Final = 300


async def wait_for_saving(desktop: Desktop, earlier: Before, file: FileBefore) -> Finding:
    """Waits until the file that the window shows was written and closed, something came up instead, or its program is
    quiet and it was not.
    """
    saving = _Saving(desktop, earlier, file)
    end = anyio.current_time() + _LONGEST_S
    found, busy, quiet_s = await saving.found_in(_FIRST_S), False, _QUIET_S
    while found is None and (left := end - anyio.current_time()) > 0:
        settled = await desktop.settle(earlier.window, deadline_s=min(quiet_s, left))
        found = await saving.found_in(_AGAIN_S)
        busy, quiet_s = settled.reason is Quiet.DEADLINE, 2 * quiet_s
        if not busy and not saving.goes_on:
            break
    if found is None and file.unsaved:  # what still says that it is unsaved may be writing in another thread
        found = await saving.found_in(_SLOW_S)
    if found is not None and found.effect is Effect.CONFIRMED and file.path is not None:
        desktop.note_file(file.window, file.path)
        return await saving.checked(found)
    return found or await saving.not_written(busy=busy)


async def unless_saved(desktop: Desktop, earlier: Before, file: FileBefore, found: Finding) -> Finding:
    """What came of saving where no file is known: `found` is what a window shows, which says nothing of a file.

    A dialog that asks for a name may be what was wanted, and saves nothing; that a title lost its mark is the program's
    own word for it.
    """
    windows = await desktop.windows()
    root = file.window_now(windows)
    if root is not None and (dialog := _dialog_over(root, earlier, windows)):
        seen = await look_at(desktop, dialog)
        if seen is not None and any(c.type is Role.TEXTBOX and "editable" in c.states for c in seen.controls):
            told = f"{called(dialog)} asks for a name, and nothing is saved before it has one"
            return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)
        return Finding(Effect.PARTIAL, f"nothing is saved yet: {await words_of(desktop, dialog)}", retry_safe=False)
    if file.unsaved and root is not None and not root.unsaved:
        return Finding(Effect.CONFIRMED, f'"{root.name}" tells of unsaved changes no longer', retry_safe=False)
    told = f"{found.told}; whether anything was saved is not known: {file.why}"
    return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)


def _dialog_over(root: TargetInfo, earlier: Before, windows: Sequence[TargetInfo]) -> TargetInfo | None:
    """A dialog that came over a window."""
    before = {window.handle for window in earlier.windows}
    came = (w for w in windows if w.type is Role.DIALOG and w.handle not in before and w.pid == root.pid)
    return next((window for window in came if belongs(window, root, windows)), None)


def written(desktop: Desktop, file: FileBefore) -> str:
    """That the file which the window shows was written and closed since; empty where it was not, or is not known."""
    now = file.stamp_now()
    if file.path is None or now is None or now == file.stamp:
        return ""
    if not file.kept_open and desktop.is_writing(file.window, file.path):
        return ""
    return f"{file.path.name} was written ({now.size} bytes)"


@dataclass(slots=True)
class _Saving:
    """One attempt to save. `goes_on`: at the last look the file was being written."""

    desktop: Desktop
    earlier: Before
    file: FileBefore
    goes_on: bool = False
    stands: tuple[Stamp | None, float] = (None, 0.0)
    """How the file stood at the last look, and since when."""

    async def found_in(self, deadline_s: float) -> Finding | None:
        """What came of it within that time; None: nothing yet."""
        end = anyio.current_time() + deadline_s
        found = await self._look()
        while found is None and (left := end - anyio.current_time()) > 0:
            found = await self.desktop.wait_until(self._look, deadline_s=min(left, _AGAIN_S))
        return found

    async def _look(self) -> Finding | None:
        if (told := written(self.desktop, self.file)) and self._is_at_rest():
            return Finding(Effect.CONFIRMED, told, retry_safe=True)
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
        """Whether nothing more is written to it, where that it is open does not tell."""
        now, (stood, since) = self.file.stamp_now(), self.stands
        if now != stood:
            self.stands = now, anyio.current_time()
        return not self.file.kept_open or (now == stood and anyio.current_time() - since >= _REST_S)

    async def _interrupted(self, dialog: TargetInfo) -> Finding | None:
        """What a dialog asks, unless it is gone again once it is quiet, as one that shows how far it is."""
        await self.desktop.settle(dialog, deadline_s=_FINISHED_S)
        if written(self.desktop, self.file) or all(w.handle != dialog.handle for w in await self.desktop.windows()):
            return None
        told = f"{self._name} is not saved yet: {await words_of(self.desktop, dialog)}"
        return Finding(Effect.PARTIAL, told, retry_safe=False)

    async def checked(self, found: Finding) -> Finding:
        """The finding that the file was written, unless a message, the window's title or the file says otherwise: on a
        full disk programs leave an empty file, and another program may have written it.
        """
        unmarked = await self._finished()
        windows = await self.desktop.windows()
        root = self.file.window_now(windows)
        if root is not None and (dialog := _dialog_over(root, self.earlier, windows)):
            await self.desktop.settle(dialog, deadline_s=_FINISHED_S)
            if any(window.handle == dialog.handle for window in await self.desktop.windows()):
                told = f"{found.told}, and then: {await words_of(self.desktop, dialog)}"
                return Finding(Effect.PARTIAL, told, retry_safe=False)
        if not unmarked:
            told = f"{found.told}, and its window still tells of unsaved changes"
            return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)
        now = self.file.stamp_now()
        if now is not None and not now.size:
            told = f"{self._name} was written and is empty: look whether that is meant, or the disk is full"
            return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)
        return found

    async def _finished(self) -> bool:
        """Waits until the program has done with it too: until then gedit takes no keys, and titles keep their mark.

        False where the mark stays.
        """

        async def is_unmarked() -> bool | None:
            return None if await self._still_unsaved() else True

        if self.file.unsaved:
            return bool(await self.desktop.wait_until(is_unmarked, deadline_s=_UNMARKED_S))
        if Trait.SAVES_FIRST not in self.file.window.traits:
            await self.desktop.settle(self.earlier.window, deadline_s=_FINISHED_S)
        return True

    async def not_written(self, *, busy: bool) -> Finding:
        """Nothing was written and no dialog came: there was nothing to save, it failed, or nobody can say."""
        file, said = self.file, await self._said()
        message = f"; its window says: {said}" if said else ""
        if self.goes_on or busy:
            goes_on = "is still being written" if self.goes_on else "was not written, and its program is still at work"
            return Finding(Effect.UNVERIFIABLE, f"{self._name} {goes_on}{message}", retry_safe=False)
        if file.unsaved is False and not said:
            told = f"nothing to save: {self._name} is as it was, and its window said of no unsaved changes"
            return Finding(Effect.CONFIRMED, told, retry_safe=True)
        told = f"{self._name} was not written{message}"
        if file.unsaved and await self._still_unsaved():
            told = f"{told}; its window still tells of unsaved changes"
            return Finding(Effect.SUSPECTED_NOOP, told, retry_safe=not said)
        if not said:
            told = f"{told}; whether there was anything to save is not known"
        return Finding(Effect.UNVERIFIABLE, told, retry_safe=False)

    async def _still_unsaved(self) -> bool:
        root = self.file.window_now(await self.desktop.windows())
        return root is not None and root.unsaved

    async def _said(self) -> str:
        """The texts that came up in the window, as a bar that says why it cannot be saved."""
        seen = self.earlier.seen
        now = await look_at(self.desktop, seen.window) if seen else None
        if seen is None or now is None:
            return ""
        came = difference(seen, now, self.earlier.target, self.earlier.about.focus).came
        texts = [c.name or c.value for c in came if c.type in {Role.LABEL, Role.TEXT, Role.ALERT}]
        return " ".join(filter(None, texts))[:_MESSAGE]

    @property
    def _name(self) -> str:
        path = self.file.path
        return path.name if path else "the file"
