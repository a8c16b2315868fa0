"""Watches a desktop while a user works, and makes a playbook of it that is complete at every moment."""

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import ApplicationGone, DesktopError, DesktopGone
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.live import ButtonChanged, RecordedEvent, WindowShown
from deskhand.record.book import Book
from deskhand.record.drafts import BOXES, Draft, differs
from deskhand.record.gestures import MENU_UNSEEN, Gestures, Press, Run
from deskhand.record.key_steps import is_in
from deskhand.record.scene import LISTED, Scene
from deskhand.record.steps import Steps

_LOOK_AGAIN_S: Final = 1.0
"""Longest time until a change without an event is noticed."""
_SETTLE_S: Final = 0.6
"""Time for the effect of a gesture to come."""
_DOUBLE_S: Final = 0.4
_RESTS_S: Final = 1.0
"""Time without a key after which a run of keys is written; the next key begins another one."""
_WINDOWS: Final = 3
"""Windows that are observed, from the front."""
_READ_S: Final = 60.0
_UNOBSERVED: Final = "its window could not be observed at this press"
_COMES_S: Final = 3.0
"""Longest wait for an effect of the last gesture, which a busy program shows late; the next gesture ends it."""

_Check = Callable[[], Coroutine[object, None, None]]
Listen = Callable[[Callable[[RecordedEvent], None]], AbstractAsyncContextManager[None]]
"""Reports input to a function until left."""


@dataclass(slots=True)
class Recorder:
    """`changed` is called with the book after each step that it got. `scene`: the desktop as it was last observed."""

    desktop: Desktop
    book: Book
    changed: Callable[[Book], None]
    scene: Scene = field(default_factory=Scene)
    _gestures: Gestures = field(default_factory=Gestures)
    _steps: Steps = field(default_factory=Steps)
    _checks: list[_Check] = field(default_factory=list[_Check])
    _has_checks: anyio.Event = field(default_factory=anyio.Event)
    _came: list[tuple[float, Rect]] = field(default_factory=list[tuple[float, Rect]])
    """Popups that came since the last observation, with the time of it."""
    _news: anyio.Event = field(default_factory=anyio.Event)

    async def run(self, listen: Listen, is_over: Callable[[Scene], bool]) -> None:
        """Record until `is_over` holds, or until cancelled; then the last steps are written too.

        `is_over` is evaluated after each observation. Raises: DesktopGone, MissingRequirement.
        """
        self.scene = await self._observed()
        async with anyio.create_task_group() as group:
            group.start_soon(self._check_events)
            async with self._listening(listen):
                while not is_over(self.scene):
                    await self._look()
            group.cancel_scope.cancel()

    @asynccontextmanager
    async def _listening(self, listen: Listen) -> AsyncGenerator[None]:
        async with listen(self._take):
            try:
                yield
            finally:
                with anyio.CancelScope(shield=True):
                    await self._end()

    async def _end(self) -> None:
        """Write the last steps."""
        self._gestures.close()
        try:
            with anyio.move_on_after(_SETTLE_S * 2):
                self.scene = await self._observed()
        except DesktopGone:
            pass  # with it the last state of its controls
        self._gestures.forget_unchecked()
        self._resolve(self.scene, is_end=True)
        self._add(self._steps.rest(self.scene))

    def _take(self, event: RecordedEvent) -> None:
        self._gestures.take(event, self.scene, monotonic())
        if isinstance(event, WindowShown):
            self._checks.append(self._note_popups)
        if isinstance(event, ButtonChanged) and self._gestures.down is not None:
            self._checks.append(partial(self._check, self._gestures.down))
        self._has_checks.set()
        self._news.set()

    async def _check_events(self) -> None:
        """Check each press, and each window that is shown, at once."""
        async with anyio.create_task_group() as group:
            while True:
                await self._has_checks.wait()
                self._has_checks = anyio.Event()
                for check in self._checks:
                    group.start_soon(check)
                self._checks.clear()

    async def _note_popups(self) -> None:
        """Note the places of popups, which a quick user may have closed by the next observation."""
        at_s, active = monotonic(), self.scene.active
        popups = await self.desktop.popups(active) if active is not None else ()
        self._came += [(at_s, popup) for popup in popups]

    async def _check(self, press: Press) -> None:
        """Find out, before the program has handled a press, that its window or popup was not observed yet."""
        windows = await self.desktop.windows()
        front = next((each for each in windows if _is_at(each, press)), None)
        if front is not None:
            popups = tuple(await self.desktop.popups(front))
            came = [popup for at_s, popup in self._came if at_s >= press.before.began_s]
            inside = [each for each in (*popups, *came) if each.contains(press.point)]
            if press.may_be_unseen:  # else the press itself opened it
                press.in_popup = bool(inside) and not {*inside} & {*press.before.popups}
                _note_window(press, front)
                _clear_doubt(press, bool(came) or any(press.before.window(each.handle) is None for each in windows))
            if press.is_early and not press.is_unseen and not inside:
                await self._aim_anew(press, front, Scene(windows, popups=popups, began_s=monotonic()))
        press.is_checked = True

    async def _aim_anew(self, press: Press, front: TargetInfo, now: Scene) -> None:
        """Find the target of a press in the window as it is now, unless the one observed before is still there."""
        observation = await self._one(front)
        if observation is None:
            press.doubt = _UNOBSERVED
            return
        now = replace(now, seen={**press.before.seen, front.handle: observation})
        target = now.pressed(press.point)
        if target is None or target[1] is None or _is_still_there(press, now):
            return
        press.before, (press.window, press.control) = now, target
        press.doubt = "" if target[1].type in LISTED else press.doubt
        self._gestures.aim_keys_of(press)

    async def _look(self) -> None:
        """Wait for a change, observe the desktop, and make steps of the gestures before it."""
        news, self._news = self._news, anyio.Event()
        changes = (await self.desktop.activity()).changes
        if not news.is_set():
            await self._wait_for_change(changes)
        await self.desktop.settle(deadline_s=_SETTLE_S)
        scene = await self._observed()
        self._follow(scene)
        self._resolve(scene)
        self.scene = scene
        self._came = [each for each in self._came if each[0] >= scene.began_s]

    async def _wait_for_change(self, changes: int) -> None:
        async def has_changed() -> bool | None:
            return self._news.is_set() or (await self.desktop.activity()).changes > changes or None

        async with anyio.create_task_group() as group:

            async def wait_for_input() -> None:
                await self._news.wait()
                group.cancel_scope.cancel()

            group.start_soon(wait_for_input)
            await self.desktop.wait_until(has_changed, deadline_s=_LOOK_AGAIN_S)
            group.cancel_scope.cancel()

    async def _observed(self) -> Scene:
        began_s = monotonic()
        windows = await self.desktop.windows()
        shown = [each for each in windows if MINIMIZED not in each.states][:_WINDOWS]
        seen: dict[str, Observation] = {}
        stale: set[str] = set()
        for window in shown:
            observation = await self._one(window)
            if observation is None:
                stale.add(window.handle)
                observation = self.scene.seen.get(window.handle)
            if observation is not None:
                seen[window.handle] = observation
        popups = [rect for window in shown[:1] for rect in await self.desktop.popups(window)]
        return Scene(windows, seen, tuple(popups), began_s, frozenset(stale))

    async def _one(self, window: TargetInfo) -> Observation | None:
        """Observe a window; None for one that cannot be observed now."""
        try:
            return await self.desktop.unchanged(window, within_s=_READ_S) or await self.desktop.observe(
                window, picture=False, texts=False
            )
        except DesktopGone:
            raise
        except (ApplicationGone, DesktopError):
            return None

    def _follow(self, scene: Scene) -> None:
        """Note the target of keys, and its value, as it is while they are typed."""
        runs = [each for each in self._gestures.done if isinstance(each, Run) and each.ended_s <= scene.began_s]
        for gesture in runs:
            is_last = gesture is self._gestures.done[-1] and not gesture.is_closed
            if is_last:
                _find_target(gesture, scene)
            if gesture.window is not None and gesture.control is not None and not gesture.is_exact:
                now = scene.now(gesture.window.handle, gesture.control)
                gesture.last, gesture.is_exact = now or gesture.last, now is not None and is_last

    def _resolve(self, scene: Scene, *, is_end: bool = False) -> None:
        """Make steps of the gestures that the scene is after."""
        done = self._gestures.done
        while done and (is_end or _is_complete(done[0], len(done), scene)):
            gesture = done.pop(0)
            if isinstance(gesture, Press):
                soon = done[0].before if done else scene
                is_known = soon.began_s > gesture.ended_s and not gesture.is_early
                gesture.has_effect = is_known and soon.differs(gesture.before)
                _aim_late(gesture, scene)
            self._add(self._steps.of(gesture, scene))

    def _add(self, drafts: Iterable[Draft]) -> None:
        """Add steps to the book."""
        text = self.book.text()
        for draft in drafts:
            self.book.add(draft)
        if self.book.text() != text:
            self.changed(self.book)


def _find_target(run: Run, scene: Scene) -> None:
    """Take the control with the keyboard as the target of keys whose target is not known."""
    focused = scene.focused()
    if run.control is not None or focused is None:
        return
    run.window, now = focused
    run.control = run.before.now(run.window.handle, now)
    if run.control is None:
        run.control, run.before = now, scene


def _is_at(window: TargetInfo, press: Press) -> bool:
    return MINIMIZED not in window.states and window.rect.contains(press.point)


def _clear_doubt(press: Press, has_come: bool) -> None:
    """Clear the doubt of a press where the window or popup before it was found."""
    if press.in_popup or (has_come and press.doubt != MENU_UNSEEN):
        press.doubt = ""


def _note_window(press: Press, front: TargetInfo) -> None:
    """Note whether a press is for a window or popup that was not observed before it."""
    is_new = press.before.window(front.handle) is None
    press.is_unseen = press.in_popup or is_new
    press.window = front if is_new else press.window


def _aim_late(press: Press, scene: Scene) -> None:
    """Find the target of an unseen press in the desktop after it; one in a popup, closed by then, is a place."""
    if press.window is not None and press.window.handle in press.before.stale:
        press.doubt = press.doubt or _UNOBSERVED
    if not press.is_unseen:
        return
    press.is_missed = not press.in_popup and press.window is not None and scene.window(press.window.handle) is None
    if press.is_missed:
        return
    press.before = scene
    press.window, press.control = scene.pressed(press.point) or (press.window, None)
    press.control = None if press.in_popup else press.control


def _is_still_there(press: Press, now: Scene) -> bool:
    """True if the control that was observed before a press is still at its place."""
    if press.window is None or press.control is None:
        return False
    same = now.now(press.window.handle, press.control)
    return same is not None and bool(same.states & {"showing", "visible"}) and same.rect.contains(press.point)


def _is_complete(gesture: Press | Run, count: int, scene: Scene) -> bool:
    """True if a gesture was over when an observation began, its effect has come, and no later event belongs to it."""
    rests_s = scene.began_s - gesture.ended_s
    if rests_s <= 0 or (isinstance(gesture, Press) and not gesture.is_checked):
        return False
    if count > 1 or rests_s > _COMES_S:
        return True
    if isinstance(gesture, Press):
        return (rests_s > _DOUBLE_S or gesture.count > 1) and _has_effect(gesture, scene)
    return gesture.is_closed or (rests_s > _RESTS_S and (gesture.last is None or is_in(gesture, gesture.last)))


def _has_effect(press: Press, scene: Scene) -> bool:
    """True if a press has an effect by now: on a box its mark."""
    if press.window is None or press.control is None or press.control.type not in BOXES:
        return scene.differs(press.before)
    now = scene.now(press.window.handle, press.control)
    return now is None or differs(now, press.control)
