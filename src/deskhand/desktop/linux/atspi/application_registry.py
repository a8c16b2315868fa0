"""Which accessible objects belong to which process, and which toplevel to which window."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, DesktopError, NotAccessible
from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport, process_of
from deskhand.desktop.linux.atspi.roles import ACTIVE, DEFUNCT, FRAME, POPUP_ROLES, SHOWING

_TOPLEVEL_LIMIT: Final = 200
_BRIDGE_S: Final = 0.5
"""The longest wait for a bridge to say which process it exposes."""
_AGAIN_S: Final = 0.5
"""The time before one that had so long is asked again."""
_SAME_PLACE: Final = 0.5
_SAME_SIZE: Final = 0.9
"""By so much of both together; the window manager's frame is part of the window on the screen."""


@dataclass(frozen=True, slots=True)
class Toplevel:
    """A toplevel accessible of an application: a window, a dialog, or a popup."""

    ref: Ref
    name: str
    role: int
    state: int
    rect: Rect

    @property
    def showing(self) -> bool:
        return bool(self.state & SHOWING)

    @property
    def is_popup(self) -> bool:
        return self.role in POPUP_ROLES


@dataclass(frozen=True, slots=True)
class _Silent:
    """A bus of a bridge, with its process, that did not say which process it exposes; when it is asked again."""

    bridge: int
    again_s: float


@dataclass(frozen=True, slots=True)
class Roots:
    """The accessible of a window, and the popups that are open over it.

    `nameless`: frames without a name that report SHOWING, such as menus of a browser and spare ones.
    """

    frame: Toplevel
    popups: tuple[Ref, ...] = ()
    nameless: tuple[Toplevel, ...] = ()


class Applications:
    """Looks up applications in the registry, afresh each time: the first object of a starting application goes away."""

    def __init__(
        self,
        transport: Transport,
        belongs: Callable[[str, int], None],
        *,
        speaks_for: Callable[[int, int], bool] = lambda _, __: False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`belongs` gets each bus with its process. `speaks_for`: the first process may expose the second one's windows
        on a bus of its own; with 0 as the second, those of any other process.
        """
        self._transport = transport
        self._belongs = belongs
        self._speaks_for = speaks_for
        self._clock = clock
        self._silent: dict[str, _Silent] = {}
        self._pids: dict[str, int] = {}  # a unique bus name is never given to another connection
        self._frames: dict[str, Ref] = {}  # by the handle of a window what was sure to be it, while it was

    async def buses_of(self, pid: int, *, deadline_s: float) -> tuple[Ref, ...]:
        """The application objects of a process; several are normal, empty ones too."""
        end = monotonic() + deadline_s
        root = Ref(calls.REGISTRY, calls.ROOT_PATH)
        found = calls.refs_in(await self._transport.call(calls.get_children(root), deadline_s=deadline_s))
        now = self._clock()
        buses = {ref.bus for ref in found}
        self._silent = {bus: silent for bus, silent in self._silent.items() if bus in buses}
        unknown = [bus for bus in buses if bus not in self._pids and self._is_due(bus, now)]
        await self._learn_pids(unknown, end - monotonic())
        for bus in buses.intersection(self._pids):
            self._belongs(bus, self._pids[bus])
        return tuple(ref for ref in found if self._pids.get(ref.bus) == pid)

    async def pid_of(self, bus: str, *, deadline_s: float) -> int | None:
        """The process behind a bus name; None where nobody owns it any more. Raises: ApplicationUnresponsive."""
        await self._learn_pids([bus], deadline_s)
        if bus in self._silent and bus not in self._pids:
            raise ApplicationUnresponsive(f"the bridge of {bus} did not say which process it exposes", fix="try again")
        return self._pids.get(bus)

    async def toplevels(self, pid: int, *, deadline_s: float) -> tuple[Toplevel, ...]:
        """All toplevels of a process. Raises: ApplicationUnresponsive, DesktopGone."""
        end = monotonic() + deadline_s
        applications = await self.buses_of(pid, deadline_s=deadline_s)
        if not applications and any(self._speaks_for(silent.bridge, pid) for silent in self._silent.values()):
            raise ApplicationUnresponsive(f"the bridge to process {pid} does not answer", fix="wait, and try again")
        asked = [calls.get_children(ref) for ref in applications]
        replies = await self._transport.batch(asked, deadline_s=end - monotonic())
        buses = {ref.bus for ref in applications}
        listed = [ref for reply in replies for ref in calls.refs_in(reply)[:_TOPLEVEL_LIMIT]]
        refs = [ref for ref in dict.fromkeys(listed) if ref.bus in buses]
        errors = [reply for reply in replies if isinstance(reply, DesktopError)]
        if errors and not refs:
            raise errors[0]
        asked = [make(ref) for ref in refs for make in _FACTS]
        facts = await self._transport.batch(asked, deadline_s=end - monotonic())
        rows = [facts[start : start + len(_FACTS)] for start in range(0, len(facts), len(_FACTS))]
        found = [
            Toplevel(ref, calls.text_in(name), calls.int_in(role), calls.bits_in(state), calls.rect_in(rect))
            for ref, (name, role, state, rect) in zip(refs, rows, strict=True)
        ]
        living = tuple(toplevel for toplevel in found if toplevel.state and not toplevel.state & DEFUNCT)
        silent = next((reply for reply in facts if isinstance(reply, ApplicationUnresponsive)), None)
        if silent and not living:
            raise silent
        return living

    async def roots_of(
        self, window: TargetInfo, listed: Sequence[TargetInfo] = (), *, alone: bool, deadline_s: float
    ) -> Roots:
        """The accessible of a window, and the popups that are open over it.

        `listed`: all windows. `alone`: no other window of the application is active, so that its popups belong to this
        one.
        Raises: NotAccessible (also for several that cannot be distinguished), ApplicationGone (none of its
        accessible windows answers to it), ApplicationUnresponsive, DesktopGone.
        """
        end = monotonic() + deadline_s
        if window.pid is None:
            raise _tells_nothing(window)
        toplevels = await self.toplevels(window.pid, deadline_s=deadline_s)
        others = [other for other in listed if other.pid == window.pid and other.handle != window.handle]
        frame = self._frame_of(window, toplevels, listed, others)
        if frame is None:
            exposes = bool(await self.buses_of(window.pid, deadline_s=end - monotonic()))
            raise _no_frame(window, toplevels) if exposes else _tells_nothing(window)
        over = [top for top in toplevels if alone and top.showing and top.ref != frame.ref]
        popups = tuple(top.ref for top in over if top.is_popup)
        return Roots(frame, popups, tuple(top for top in over if top.role == FRAME and not top.name))

    def _frame_of(
        self,
        window: TargetInfo,
        toplevels: Sequence[Toplevel],
        listed: Sequence[TargetInfo],
        others: Sequence[TargetInfo],
    ) -> Toplevel | None:
        """The toplevel of a window, remembered once it is sure: two documents of one title look the same later.

        Raises: NotAccessible.
        """
        there = {each.handle for each in listed}
        self._frames = {handle: ref for handle, ref in self._frames.items() if handle in there}
        known = self._frames.get(window.handle)
        frame = next((top for top in toplevels if top.ref == known), None)
        if frame is not None:
            return frame
        of_others = {self._frames[other.handle] for other in others if other.handle in self._frames}
        free = [top for top in toplevels if top.ref not in of_others]
        unknown = [other for other in others if other.handle not in self._frames]
        now = next((each for each in listed if each.handle == window.handle), window)
        frame = match_window(window, free, others, active=_is_active(now, unknown))
        if frame is not None and there and _is_sure(frame, window, free, unknown):
            self._frames[window.handle] = frame.ref
        return frame

    def _is_due(self, bus: str, now: float) -> bool:
        return bus not in self._silent or self._silent[bus].again_s <= now

    async def _learn_pids(self, buses: Iterable[str], deadline_s: float) -> None:
        asked_of = list(dict.fromkeys(buses))
        replies = await self._transport.batch([process_of(bus) for bus in asked_of], deadline_s=deadline_s)
        bridges: dict[str, int] = {}
        for bus, reply in zip(asked_of, replies, strict=True):
            if isinstance(reply, DesktopError):
                self._pids.pop(bus, None)
                self._silent.pop(bus, None)
            elif self._speaks_for(pid := calls.int_in(reply), 0):
                bridges[bus] = pid
            else:
                self._pids[bus] = pid
        await self._learn_bridged(bridges, min(deadline_s / 4, _BRIDGE_S))

    async def _learn_bridged(self, bridges: Mapping[str, int], deadline_s: float) -> None:
        """Learn the processes that buses of a bridge expose. One that does not answer stays what it was, and if that is
        unknown it is asked again after a while: others are not to wait for it.
        """
        asked = [calls.get_attributes(Ref(bus, calls.ROOT_PATH)) for bus in bridges]
        replies = await self._transport.batch(asked, deadline_s=deadline_s)
        for bus, reply in zip(bridges, replies, strict=True):
            pid, bridge = calls.process_in(reply), bridges[bus]
            if pid and self._speaks_for(bridge, pid):
                self._pids[bus] = pid
                self._silent.pop(bus, None)
            elif not isinstance(reply, DesktopError):
                self._pids.pop(bus, None)
            elif bus not in self._pids:
                again_s = _AGAIN_S if deadline_s >= _BRIDGE_S else 0.0
                self._silent[bus] = _Silent(bridge, self._clock() + again_s)


def _tells_nothing(window: TargetInfo) -> NotAccessible:
    process = f"process {window.pid}" if window.pid else "a process that nobody knows"
    return NotAccessible(
        f'The application of "{window.name}" ({process}) exposes nothing to accessibility.',
        fix="Wait where it is starting; else look at a picture of it, and click at places in that.",
    )


def _no_frame(window: TargetInfo, toplevels: Sequence[Toplevel]) -> NotAccessible | ApplicationGone:
    if match_window(window, toplevels):
        return NotAccessible(
            f'Process {window.pid} exposes other windows, but not "{window.name}".',
            fix="Look at a picture of it, and click at places in that.",
        )
    return ApplicationGone(
        f'No accessible window of process {window.pid} answers to "{window.name}".',
        fix="List the windows again; the application may be starting or may not be accessible.",
    )


_FACTS: Final = (calls.get_name, calls.get_role, calls.get_state, calls.get_extents)


def match_window(
    window: TargetInfo,
    toplevels: Sequence[Toplevel],
    others: Sequence[TargetInfo] = (),
    *,
    active: bool | None = None,
) -> Toplevel | None:
    """Return the toplevel of a window: with the same title, else (titles differ for a moment) at the same place.

    A window without a title, such as a question, is first matched by place: there may be a spare nameless toplevel. At
    its place may be another window of the program, behind one that is not exposed, such as a file dialog: none of
    `others` may have its title or be closer to its place.

    Of several with one title visible ones are preferred, then the nearest. If extents count from the corner of the
    window, and the program's title differs from the screen's, the only visible one is matched by size. Of several that
    are equal by this, the one is returned that reports being active as the X server does: `active`, None if no window
    of that title is.
    Raises: NotAccessible (several are equal by all of this).
    """

    def rank(top: Toplevel) -> tuple[bool, bool, float]:
        return (top.is_popup, not top.showing, -round(top.rect.iou(window.rect), 2))

    candidates = sorted(_candidates(window, toplevels, others), key=rank)
    alike = [top for top in candidates if rank(top) == rank(candidates[0])]
    if len(alike) > 1 and any(_is_called(top, other) for top in alike for other in others):
        return _told_by_activity(window, alike, active)
    return min(alike, key=lambda top: not top.state & ACTIVE, default=None)


def _candidates(window: TargetInfo, toplevels: Sequence[Toplevel], others: Sequence[TargetInfo]) -> list[Toplevel]:
    """Return the toplevels that may be a window, see `match_window`."""
    named = [top for top in toplevels if _is_called(top, window)]
    shown = [top for top in toplevels if top.showing and not top.is_popup]
    near = [top for top in shown if top.rect.iou(window.rect) > _SAME_PLACE]
    nearest = [top for top in near if not any(_is_rather(other, top, window) for other in others)]
    own = [top for top in named if not _is_of_namesake(top, window, others)]
    found = (own or nearest) if window.name else (nearest or named)
    return _of_same_size(window, shown) if not found and len(shown) == 1 else found


def _is_of_namesake(top: Toplevel, window: TargetInfo, others: Sequence[TargetInfo]) -> bool:
    """True if a toplevel with the title of a window is elsewhere, at the place of another window of that title: a
    question over a file dialog has the dialog's title on the screen and another name in its program.
    """
    at_others = any(_is_called(top, other) and top.rect.iou(other.rect) > _SAME_PLACE for other in others)
    return at_others and top.rect.iou(window.rect) <= _SAME_PLACE


def _of_same_size(window: TargetInfo, toplevels: Sequence[Toplevel]) -> list[Toplevel]:
    """Return the toplevels of a window's size whose extents count from their own corner."""
    size = window.rect.moved(-window.rect.left, -window.rect.top)
    return [top for top in toplevels if (top.rect.left, top.rect.top) == (0, 0) and top.rect.iou(size) > _SAME_SIZE]


def _told_by_activity(window: TargetInfo, alike: Sequence[Toplevel], active: bool | None) -> Toplevel:
    """Return the only one of several equal ones with the same active state. Raises: NotAccessible."""
    same = [top for top in alike if bool(top.state & ACTIVE) is active]
    if len(same) != 1 or not any(top.state & ACTIVE for top in alike):
        raise NotAccessible(
            f'{len(alike)} windows of process {window.pid} are called "{window.name}", and cannot be distinguished.',
            fix="Bring the one that is meant to the front, or move it.",
        )
    return same[0]


def _is_active(window: TargetInfo, others: Sequence[TargetInfo]) -> bool | None:
    """True if a window is the active one; None if neither it nor an equal one is."""
    if "active" in window.states:
        return True
    alike = (other for other in others if comparable_name(other.name) == comparable_name(window.name))
    return False if any("active" in other.states for other in alike) else None


def _is_sure(frame: Toplevel, window: TargetInfo, toplevels: Sequence[Toplevel], others: Sequence[TargetInfo]) -> bool:
    """True if a toplevel is the only one with the name of the window."""
    if not window.name or not _is_called(frame, window) or any(_is_called(frame, other) for other in others):
        return False
    return not any(top.ref != frame.ref and _is_called(top, window) for top in toplevels)


def _is_called(top: Toplevel, window: TargetInfo) -> bool:
    return comparable_name(top.name) == comparable_name(window.name)


def _is_rather(other: TargetInfo, top: Toplevel, window: TargetInfo) -> bool:
    """True if a toplevel is another window than the one near it."""
    return _is_called(top, other) or top.rect.iou(other.rect) > top.rect.iou(window.rect)
