"""Record of changes on a desktop, by source, and whether each is new. Pure: times are given, never read."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.geometry import Rect, around
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.events import Heard
from deskhand.desktop.linux.idle.periodic import MEMORY_S, Novelty, Repaints, Sayings

_NEVER: Final = float("-inf")
_KEPT: Final = 256
_OWNERS: Final = 4 * _KEPT
"""Of so many names it is known whose they are, gone ones among them; then only of those that changed something."""
_CHILDREN: Final = "ChildrenChanged"
_CHOICES: Final = frozenset({"selected", "focused"})
_NAME: Final = "accessible-name"
_NAMED: Final = 8
_PAINTED: Final = 32

CALM_S: Final = 1.1
"""A program that changes nothing for this long does not change by itself all the time."""

RESTLESS_S: Final = 10.0
"""A place that a program repainted without an action is known for this long."""
_RESTLESS: Final = 128
"""Places of one window that are known so."""

WORKS_ON_S: Final = 0.5
"""So long after it was sent an action of ours may still change something."""


@dataclass(slots=True)
class Source:
    """A source of changes: a window by its pixels, or an application by its events.

    `last` and `what`: the latest change that counts. `habit_at` and `habit`: the latest habitual one; `habit_gap_s`:
    the longest recent pause in that habit. `events`: the number of its last one. `named`: the paths of the objects that
    it reported new names of last, and with which event. `calm_at`: when it last changed something after `CALM_S` of
    nothing, `restless_at`: when it last did so without an action of ours. `painted`: recent repaints, when and where on
    the screen. `restless`: places that were repainted without an action of ours, and when; `lost_at`: when the latest
    one was painted that was dropped, as they were too many.
    """

    places: Repaints = field(default_factory=Repaints)
    sayings: Sayings = field(default_factory=Sayings)
    last: float = _NEVER
    what: str | Heard = ""
    habit_at: float = _NEVER
    habit: str | Heard = ""
    habit_gap_s: float = 0.0
    events: int = 0
    named: dict[str, int] = field(default_factory=dict[str, int])
    calm_at: float = _NEVER
    restless_at: float = _NEVER
    painted: deque[tuple[float, tuple[Rect, ...]]] = field(default_factory=lambda: deque(maxlen=_PAINTED))
    restless: dict[Rect, float] = field(default_factory=dict[Rect, float])
    lost_at: float = _NEVER

    @property
    def latest(self) -> float:
        return max(self.last, self.habit_at)

    def note_restless(self, at: float, places: Sequence[Rect]) -> None:
        for place in places:
            self.restless.pop(place, None)
            self.restless[place] = at
        while len(self.restless) > _RESTLESS:
            self.lost_at = self.restless.pop(next(iter(self.restless)))

    def start_over(self) -> None:
        self.places.start_over()
        self.sayings.start_over()

    def take(self, at: float, novelty: Novelty, what: str | Heard) -> None:
        if novelty is not Novelty.HABIT:
            self.last, self.what = at, what
            return
        gap = at - self.habit_at
        self.habit_gap_s = max(gap, self.habit_gap_s * 0.9) if gap < MEMORY_S else 0.0
        self.habit_at, self.habit = at, what


class Ledger:
    """The sources of one desktop, by bus name or window, and the processes they belong to."""

    def __init__(self, since: float = _NEVER) -> None:
        """`since`: nothing is known of the time before."""
        self._since = since
        self._sources: dict[str | int, Source] = {}
        self._owners: dict[str | int, int | None] = {}
        self._children: dict[tuple[str, str], int] = {}
        self._chosen: dict[str, tuple[float, str]] = {}
        self._events = 0
        self._forgotten_at = _NEVER
        self.acted_at = _NEVER

    def event(self, at: float, heard: Heard) -> None:
        """Record an event of an application. Events of a list that only grows or shrinks are never the same."""
        said = (heard.path, heard.member, heard.detail, heard.place)
        if heard.member == _CHILDREN:
            said = (*said, self._net_children(heard))
        if heard.detail in _CHOICES and heard.place:
            self._chosen[heard.bus] = (at, heard.path)
        source = self._source(heard.bus)
        self._events += 1
        source.events = self._events
        if heard.detail == _NAME:
            source.named.pop(heard.path, None)
            source.named[heard.path] = self._events
            if len(source.named) > _NAMED:
                del source.named[next(iter(source.named))]
        self._take(heard.bus, source, at, source.sayings.note(at, said), heard)

    def repaint(self, at: float, window: int, corner: tuple[int, int], rects: Sequence[Rect]) -> None:
        """Pixels of a window changed; the rectangles are relative to its corner, which is on the screen."""
        source = self._source(window)
        novelty = source.places.note(at, rects)
        shown = tuple(rect.moved(*corner) for rect in rects)
        source.painted.append((at, shown))
        if at - self.acted_at > WORKS_ON_S:
            source.note_restless(at, shown)
        bounds = around(rects).moved(*corner)
        self._take(window, source, at, novelty, f"pixels at {bounds.to_list()}")

    def window(self, at: float, window: int, what: str) -> None:
        """A window came, went, moved: never a habit. A frame gets its owner only with the window that it is for."""
        if self._owners.get(window, 0) is None:
            del self._owners[window]
        self._take(window, self._source(window), at, Novelty.NEW, what)

    def acted(self, at: float) -> None:
        """Record an action: later changes may be its effect, however alike. Habits from before remain habits."""
        self.acted_at = at
        for source in self._sources.values():
            source.start_over()

    def belongs(self, name: str | int, pid: int | None) -> None:
        """Record the process of a source; None: it is not known, so that the source counts for all processes."""
        if len(self._owners) >= _OWNERS:
            self._owners = {known: owner for known, owner in self._owners.items() if known in self._sources}
        self._owners[name] = pid

    def strangers(self) -> tuple[int, ...]:
        """Windows that changed and of which nobody asked yet whose they are."""
        return tuple(name for name in self._sources if isinstance(name, int) and name not in self._owners)

    def created(self, window: int) -> None:
        """Record that a new window has this number, which another may have had before."""
        self._owners.pop(window, None)

    def last(self, pid: int | None) -> tuple[float, str]:
        """Return when the last change that counts happened to this process (to any with None), and its description."""
        name, source = max(self._of(pid), key=lambda item: item[1].last, default=("", Source()))
        return source.last, self._told(name, source.what)

    def latest(self, pid: int | None) -> float:
        """When anything at all happened last to this process, habits among it, or to one that is not known any more."""
        return max([self._forgotten_at, *(source.latest for _, source in self._of(pid))])

    def painted(self, pid: int, after: float) -> tuple[Rect, ...] | None:
        """Return the regions of the screen that a process repainted since then; None: too many to be known."""
        if self._forgotten_at >= after:
            return None
        found: list[Rect] = []
        for _, source in self._of(pid):
            if len(source.painted) == _PAINTED and source.painted[0][0] > after:
                return None
            found += (rect for at, rects in source.painted if at >= after for rect in rects)
        return tuple(found)

    def restless(self, pid: int | None, at: float) -> tuple[Rect, ...] | None:
        """Return places that a process repainted of late without an action; None: too many to be known."""
        after = at - RESTLESS_S
        sources = [source for _, source in self._of(pid)]
        if any(source.lost_at >= after for source in sources):
            return None
        return tuple(place for source in sources for place, when in source.restless.items() if when >= after)

    def told(self, pid: int | None) -> int:
        """The number of the last event of a process, among those of all."""
        return max((source.events for _, source in self._of(pid)), default=0)

    def named(self, pid: int | None, after: int) -> tuple[Ref, ...]:
        """Return the objects of which a process reported a new name with a later event; a few, the latest last."""
        return tuple(
            Ref(name, path)
            for name, source in self._of(pid)
            if isinstance(name, str)
            for path, number in source.named.items()
            if number > after
        )

    def is_calm(self, pid: int | None, at: float) -> bool:
        """True if nothing of a process changes by itself all the time, as far as was observed.

        That is so where it changed nothing for `CALM_S`, now or before the effects of our action began.
        """
        sources = [source for _, source in self._of(pid)] or [Source()]
        return all(
            at - max(source.latest, self._since, self._forgotten_at) >= CALM_S or source.calm_at > source.restless_at
            for source in sources
        )

    def since(self, pid: int | None, at: float) -> tuple[str, ...]:
        """Return the changes that counted since then, by source, the latest first."""
        found = sorted((s.last, self._told(name, s.what)) for name, s in self._of(pid) if s.last > at)
        return tuple(told for _, told in reversed(found))

    def habits(self, pid: int | None, at: float) -> tuple[str, ...]:
        """The habits that went on since then."""
        return tuple(self._told(name, source.habit) for name, source in self._of(pid) if source.habit_at > at)

    def chosen(self, bus: str, at: float) -> str:
        """Return the path of the object selected or focused last in an application since then; empty: none."""
        when, path = self._chosen.get(bus, (_NEVER, ""))
        return path if when >= at else ""

    def in_habit(self, pid: int | None, at: float) -> bool:
        """True if a habit goes on now: its last turn is not longer ago than two of its pauses."""
        return any(at - s.habit_at <= 2 * max(s.habit_gap_s, 0.02) for _, s in self._of(pid))

    def _of(self, pid: int | None) -> Iterator[tuple[str | int, Source]]:
        for name, source in self._sources.items():
            owner = self._owners.get(name)
            if pid is None or owner == pid or (owner is None and isinstance(name, int)):
                yield name, source

    def _take(self, name: str | int, source: Source, at: float, novelty: Novelty, what: str | Heard) -> None:
        if at - max(source.latest, self._since) >= CALM_S:
            source.calm_at = at
        if at - self.acted_at > WORKS_ON_S:
            source.restless_at = at
        source.take(at, novelty, what)
        owner = self._owners.get(name)
        if novelty is Novelty.NEW and owner is not None:
            for other, fellow in self._sources.items():
                if fellow is not source and self._owners.get(other) == owner:
                    fellow.start_over()

    def _source(self, name: str | int) -> Source:
        source = self._sources.get(name)
        if source is None:
            if len(self._sources) >= _KEPT:
                eldest = min(self._sources, key=lambda key: self._sources[key].latest)
                self._forgotten_at = max(self._forgotten_at, self._sources.pop(eldest).latest)
                self._owners.pop(eldest, None)
                self._chosen.pop(str(eldest), None)
            source = self._sources[name] = Source()
        return source

    def _net_children(self, heard: Heard) -> int:
        if len(self._children) >= _KEPT:
            self._children.clear()
        key = (heard.bus, heard.path)
        net = self._children.get(key, 0) + (1 if heard.detail.startswith("add") else -1)
        self._children[key] = net
        return net

    def _told(self, name: str | int, what: str | Heard) -> str:
        owner = self._owners.get(name)
        whose = f" of process {owner}" if owner is not None else ""
        if isinstance(what, Heard):
            return f"events{whose} ({what.told})"
        return f"{what}{whose}" if what else ""
