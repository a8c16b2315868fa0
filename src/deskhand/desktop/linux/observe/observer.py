"""Observations and pictures of windows, with secrets hidden."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    DesktopError,
    DesktopGone,
    ElementStale,
    NotAccessible,
)
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Picture, Truncation
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.linux.atspi.node import Reach, Walk
from deskhand.desktop.linux.display_server import Camera, Connection
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.cache import LastSeen
from deskhand.desktop.linux.observe.drawn_parts import DrawnTexts, drawn_parts, read_drawn, why_unreadable
from deskhand.desktop.linux.observe.picture_redaction import NOTHING, Hidden, Secrets, photograph
from deskhand.desktop.linux.observe.window_reader import READ_DEADLINE_S, WindowReader
from deskhand.desktop.linux.runtime.bridges import why_silent
from deskhand.desktop.linux.runtime.process_table import is_stopped
from deskhand.desktop.picture_text.reader import PictureTexts
from deskhand.desktop.protocols.windows import minimized_failure, windows_over

_STOPPED_S: Final = 1.0
_SECRETS_DEADLINE_S: Final = 1.0
"""Timeout for a window to report where its passwords are, before a picture."""
_WINDOWS_KEPT: Final = 4
_OFFICE: Final = "libreoffice-"
_DATABASE: Final = "libreoffice-base"
"""Its window has lists of its objects, and no document."""
_OFFICE_START: Final = "libreoffice-startcenter"
_OFFICE_UNDECIDED: Final = "soffice"
_OFFICE_UNTITLED: Final = re.compile(r"LibreOffice [\d.]+")
"""Title of a window of LibreOffice before it is known which of its applications it will be."""

_LATE_STATES: Final = ("libreoffice", _OFFICE_UNDECIDED)
"""Applications that refresh the states of their controls some 300 ms after everything else."""

FINAL_S: Final = 0.7
"""Quiet time after which their states are final: two timers of 0.3 s run one after the other."""


class Observer:
    """Sees the windows of one desktop; changes nothing."""

    def __init__(
        self,
        connection: Connection,
        window_reader: WindowReader,
        camera: Camera,
        clock: Callable[[], float],
        activity: Activity,
        texts: PictureTexts,
    ) -> None:
        """`texts`: reads what windows draw without exposing it."""
        self._connection = connection
        self._window_reader = window_reader
        self._camera = camera
        self._clock = clock
        self._activity = activity
        self._secrets = Secrets()
        self._texts = texts
        self._last: dict[str, LastSeen] = {}

    def close(self) -> None:
        """Let go of the models that read pictures."""
        self._texts.close()

    async def observe(
        self, window: TargetInfo, *, picture: bool, texts: bool = True, other_pages: bool = False, deadline_s: float
    ) -> Observation:
        """See `Accessibility.observe`. `texts`: read what the window draws without exposing it."""
        at_s, start, spent, began_s = self._clock(), monotonic(), dict[str, float](), self._activity.now()
        provisional, reach = self.is_provisional(window), Reach.OTHER_PAGES if other_pages else Reach.WHOLE
        now, end, taken = await self._now(window), start + deadline_s, None
        if picture:
            now, taken, (walk, controls, spent["tree"]) = await self._photographed(now, end, reach)
            spent["picture"] = monotonic() - start - spent["tree"]
        else:
            (walk, controls, spent["tree"]), _ = await self._seen(now, end, others=False, reach=reach)
        began, drawn = monotonic(), None
        if texts and (parts := drawn_parts(now, controls, walk)):
            drawn = await self._drawn(now, taken, controls, parts, end)
            spent["texts"] = monotonic() - began
        seen = _observation(
            Observation(
                window=replace(now, id=window.id),
                controls=controls,
                picture=taken,
                at_s=at_s,
                provisional=provisional or self.is_provisional(now),
                untold=walk.untold,
                timing_s=tuple(spent.items()),
            ),
            walk,
            drawn,
        )
        self._note(began_s, seen, walk, texts=texts, whole=not other_pages and not (drawn and drawn.problem))
        return seen

    def _note(self, began_s: float, seen: Observation, walk: Walk, *, texts: bool, whole: bool) -> None:
        """Keep an observation to which nothing is lacking, of a window that is one program's alone."""
        self._last.pop(seen.window.handle, None)
        alone = len({node.ref.bus for node in walk.nodes.values()}) <= 1
        if whole and alone and not (walk.nodes and (walk.truncated or walk.elsewhere)):
            self._last[seen.window.handle] = LastSeen(began_s, self._activity.now(), replace(seen, picture=None), texts)
        if len(self._last) > _WINDOWS_KEPT:
            del self._last[next(iter(self._last))]

    async def unchanged(self, window: TargetInfo, *, within_s: float, texts: bool) -> Observation | None:
        """As `Accessibility.unchanged`, but for reports that are under way; `texts`: with those of its picture."""
        last = self._last.get(window.handle)
        if last is None or last.texts < texts or self._activity.now() - last.ended_s > within_s:
            return None
        listed = await self._window_reader.windows()
        now = next((each for each in listed if each.handle == window.handle), None)
        if now is None or not last.is_valid(now, listed, self._activity):
            return None
        return replace(last.seen, window=replace(now, id=window.id), provisional=self.is_provisional(now))

    async def _drawn(
        self,
        window: TargetInfo,
        picture: Picture | None,
        controls: Sequence[TargetInfo],
        parts: Sequence[Rect],
        end: float,
    ) -> DrawnTexts:
        """Return the texts that a window draws itself; a picture is taken for it if there is none."""
        if problem := why_unreadable():
            return DrawnTexts(problem=problem)
        if picture is None:
            try:
                now, picture, _ = await self._photographed(window, end, Reach.TEXTS)
            except (ApplicationUnresponsive, CaptureFailed, NotAccessible) as error:
                return DrawnTexts(problem=f"its texts cannot be read: {error.message}")
            moved = now.rect.left - window.rect.left, now.rect.top - window.rect.top
            parts = [part.moved(*moved) for part in parts]
            window = now
        return await read_drawn(self._texts, window, picture, controls, parts)

    async def _photographed(
        self, window: TargetInfo, end: float, reach: Reach
    ) -> tuple[TargetInfo, Picture, tuple[Walk, tuple[TargetInfo, ...], float]]:
        """Return a window, its picture and its controls, all of one moment in which it stays in place: a moved window's
        picture may show windows below it that were not checked for secrets. Raises: as `observe`.
        """
        while True:
            if MINIMIZED in window.states:
                raise minimized_failure(window)
            look = partial(self._seen, window, end, reach=reach)
            taken, seen = await photograph(self._camera, window.rect, look)
            now = await self._now(window)
            if now.rect == window.rect and MINIMIZED not in now.states:
                over = windows_over(window, await self._window_reader.windows())
                return window, replace(taken, over=over), seen
            if monotonic() >= end:
                raise CaptureFailed(f'"{now.name}" does not stay in one place.', fix="Observe it again.")
            window = now

    async def _now(self, window: TargetInfo) -> TargetInfo:
        return await self._connection.run(lambda screen: screen.windows.get(window))

    def is_provisional(self, window: TargetInfo) -> bool:
        """True if states of controls may still change without a further cause: those of toolbars, not of dialogs."""
        late = window.type is not Role.DIALOG and window.application.startswith(_LATE_STATES)
        return late and self._activity.quiet_s(window.pid) < FINAL_S

    async def screenshot(self, region: Rect | None) -> Picture:
        """See `Screen.screenshot`."""

        async def look() -> tuple[None, Hidden]:
            listed = await self._window_reader.windows()
            shown = [window for window in listed if _shows_in(window, region)]
            shown += await self._reaching_into(region, listed, shown) if region else []
            return None, await self._secrets_in(shown, inf)

        picture, _ = await photograph(self._camera, region, look)
        return picture

    async def _seen(
        self, window: TargetInfo, end: float, *, others: bool = True, reach: Reach = Reach.WHOLE
    ) -> tuple[tuple[Walk, tuple[TargetInfo, ...], float], Hidden]:
        """Return a window's controls, the seconds it took to read them, and the regions that a picture of it must hide.

        `others`: windows above it are in the picture too, with their popups.
        """
        start, found, shown = monotonic(), dict[str, Hidden](), list[TargetInfo]()
        if others:
            listed = await self._window_reader.windows()
            shown += windows_over(window, listed)
            shown += await self._reaching_into(window.rect, listed, [window, *shown])
            found = await self._ask_for_secrets(shown, end)
        began = monotonic()
        walk, controls = await self._look_in_time(window, began, end - began, reach)
        own = self._secrets.note(window, controls, whole=not walk.truncated)
        taken = monotonic() - start
        hidden = await self._showing([*shown, window], {**found, window.handle: own}) if others else own
        return (walk, controls, taken), hidden

    async def _reaching_into(
        self, place: Rect, listed: Sequence[TargetInfo], known: Sequence[TargetInfo]
    ) -> Sequence[TargetInfo]:
        """The other windows whose menus or popovers lie in a place that they themselves need not reach."""
        asked = {each.handle for each in known}
        others = [each for each in listed if each.handle not in asked and MINIMIZED not in each.states]
        if not others:
            return []
        return await self._connection.run(lambda screen: screen.stack.reaching_into(place, others))

    async def _secrets_in(self, windows: Sequence[TargetInfo], end: float) -> Hidden:
        """Return the regions of these windows to hide, the front one first."""
        return await self._showing(windows, await self._ask_for_secrets(windows, end))

    async def _showing(self, windows: Sequence[TargetInfo], found: Mapping[str, Hidden]) -> Hidden:
        """Return the secrets found in windows, by handle, without those that the windows before each of them occlude.

        A window that did not answer occludes nothing: it may not have painted yet.
        """
        hidden, covers = NOTHING, list[TargetInfo]()
        for window in windows:
            own = found[window.handle]
            parts = [part for place in own.places for part in await self._under_none(place, window, covers)]
            hidden += replace(own, showing=tuple(parts))
            covers += [] if own.unchecked else [window]
        return hidden

    async def _under_none(self, place: Rect, window: TargetInfo, covers: Sequence[TargetInfo]) -> tuple[Rect, ...]:
        lying = [cover for cover in covers if not cover.rect.intersection(place).empty]
        if not lying:
            return (place,)
        try:
            return await self._connection.run(lambda screen: screen.stack.under_none(place, window, lying))
        except ApplicationGone:
            return (place,)

    async def _ask_for_secrets(self, windows: Sequence[TargetInfo], end: float) -> Mapping[str, Hidden]:
        """Return the secrets of these windows, by handle. All processes are asked at once, each for one window after
        the other, the front one first; one that does not answer in time is asked no more.
        """
        found = {window.handle: self._secrets.of(window) for window in windows}
        lost: list[DesktopGone] = []

        async def ask(pid: int | None) -> None:
            for window in (each for each in windows if each.pid == pid):
                try:
                    until = min(end, monotonic() + _SECRETS_DEADLINE_S)
                    walk, controls = await self._window_reader.read(window, until, reach=Reach.TEXTS)
                except DesktopGone as error:
                    lost.append(error)
                except ApplicationUnresponsive:
                    return
                except DesktopError:
                    continue
                else:
                    found[window.handle] = self._secrets.note(window, controls, whole=not walk.truncated)

        async with anyio.create_task_group() as tasks:
            for pid in {window.pid for window in windows}:
                tasks.start_soon(ask, pid)
        if lost:
            raise lost[0]
        return found

    async def is_ready(self, window: TargetInfo) -> bool:
        """True if a window shows its content. LibreOffice shows its frame first and its document later.

        Raises: NotAccessible (it exposes no controls, and may be drawn by its program), and as `WindowReader.read`.
        """
        if _is_undecided(window):
            return False
        controls = await self.controls(window)
        if _is_office(window):
            shown = {Role.LIST} if window.application == _DATABASE else {Role.DOCUMENT, Role.TABLE}
            return any(control.type in shown for control in controls)
        if not controls:
            raise NotAccessible(f'"{window.name}" exposes no controls.', fix="Use its picture.")
        return True

    async def controls(self, window: TargetInfo) -> tuple[TargetInfo, ...]:
        """Return the controls of a window that may still be opening, read quickly, without the text of documents.

        Paragraphs that LibreOffice is asked for before it has laid them out never expose a text.
        """
        _, controls = await self._window_reader.read(window, monotonic() + READ_DEADLINE_S, reach=Reach.CONTROLS)
        return controls

    async def _look_in_time(
        self, window: TargetInfo, start: float, deadline_s: float, reach: Reach
    ) -> tuple[Walk, tuple[TargetInfo, ...]]:
        """Return a window's controls; none, with the reason, where it exists and exposes nothing.

        A stopped process will not answer, and has a shorter timeout than a busy one.
        """
        pid = window.pid or 0
        patience_s = min(deadline_s, _STOPPED_S) if is_stopped(pid) else deadline_s
        look = partial(self._window_reader.read, window, start + patience_s, reach=reach)
        try:
            try:
                return await look()
            except ElementStale:  # another object represents the window now, or it is gone, which the next read finds
                return await look()
        except ElementStale as error:
            raise ApplicationGone(f'"{window.name}" is gone.', fix="List the windows again.") from error
        except ActionRefused as error:
            raise ApplicationUnresponsive(
                f'The application of "{window.name}" does not report its content: {error.message}', fix=error.fix
            ) from error
        except NotAccessible as error:
            return Walk(truncated=": ".join(filter(None, (error.message.rstrip("."), why_silent(window.pid))))), ()
        except ApplicationUnresponsive as error:
            if not is_stopped(pid):
                raise
            raise ApplicationUnresponsive(
                f'The application of "{window.name}" (process {pid}) is stopped and does not answer.',
                fix=f"Let it go on (kill -CONT {pid}), or end it.",
            ) from error


def _observation(seen: Observation, walk: Walk, drawn: DrawnTexts | None) -> Observation:
    """The observation with the texts that were read from its picture, and the reason why it is incomplete."""
    lacking, untold = walk.truncated or walk.elsewhere, seen.untold
    if drawn is not None:
        lacking = f"{lacking}; {drawn.note}" if lacking else ""
        untold = untold or ("" if lacking else drawn.problem or drawn.unseen)
        seen = replace(seen, controls=seen.controls + drawn.controls, from_picture=not drawn.problem)
    return replace(seen, truncated=Truncation(lacking, walk.unread or None) if lacking else None, untold=untold)


def _shows_in(window: TargetInfo, region: Rect | None) -> bool:
    if MINIMIZED in window.states or window.rect.empty:
        return False
    return region is None or not window.rect.intersection(region).empty


def _is_office(window: TargetInfo) -> bool:
    """True if it is a window of LibreOffice with a document."""
    office = window.application.startswith(_OFFICE) and window.application != _OFFICE_START
    return office and window.type is Role.WINDOW


def _is_undecided(window: TargetInfo) -> bool:
    """True if LibreOffice has not yet decided which of its applications the window will be."""
    if window.application == _OFFICE_UNDECIDED:
        return window.type is Role.WINDOW
    return _is_office(window) and _OFFICE_UNTITLED.fullmatch(window.name) is not None
