"""Walks through everything a program can do, breadth first, by playing it again and again.

The program under test asks `Choices.choose` wherever its surroundings could go one way or another. A path is a list
of such choices. A play follows its path and stops at the first question beyond it, where it says in which state it
stands; every state is left once by every choice, so a graph of all reachable states comes of it.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

T = TypeVar("T")
State: TypeAlias = tuple[Hashable, ...]
"""What decides how it can go on; the first part names the question that stands open, or says `END`."""
Path: TypeAlias = tuple[int, ...]
END = "end"


class PathEnded(BaseException):
    """The path is used up. No `except Exception` stops it."""


class Choices:
    """The choices of one play. `open_state` and `options` are set where it stopped at a question."""

    def __init__(self, path: Path, state: Callable[[str], State]) -> None:
        self._path = path
        self._state = state
        self._made = 0
        self.open_state: State | None = None
        self.options = 0

    def choose(self, question: str, options: Sequence[T]) -> T:
        """The option that the path takes. Raises: PathEnded."""
        if self._made == len(self._path):
            self.open_state, self.options = self._state(question), len(options)
            raise PathEnded
        self._made += 1
        return options[self._path[self._made - 1]]


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a play stopped: its state, and how many choices there are; none at an end."""

    state: State
    options: int


@dataclass(slots=True)
class Graph:
    """What was found: every state with its successors, and the choices that lead to it first."""

    successors: dict[State, set[State]] = field(default_factory=dict[State, set[State]])
    paths: dict[State, Path] = field(default_factory=dict[State, Path])
    plays: int = 0

    @property
    def transitions(self) -> int:
        return sum(len(targets) for targets in self.successors.values())

    @property
    def longest(self) -> int:
        """The most choices any path makes until it meets a state that was seen before, or an end."""
        return max(len(path) for path in self.paths.values())

    def stuck(self) -> set[State]:
        """States from which no end can be reached."""
        before: dict[State, set[State]] = {}
        for state, targets in self.successors.items():
            for target in targets:
                before.setdefault(target, set()).add(state)
        reached = {state for state in self.paths if state[0] == END}
        todo = list(reached)
        while todo:
            for state in before.get(todo.pop(), ()):
                if state not in reached:
                    reached.add(state)
                    todo.append(state)
        return set(self.paths) - reached

    def circle(self, without: Callable[[State], bool]) -> list[State]:
        """The states of a circle that touches none of those left out; empty where there is none."""
        left = {state: {t for t in targets if not without(t)} for state, targets in self.successors.items()}
        left = {state: targets for state, targets in left.items() if not without(state)}
        entered = dict.fromkeys(left, 0)
        for targets in left.values():
            for target in targets:
                entered[target] = entered.get(target, 0) + 1
        free = [state for state, count in entered.items() if count == 0]
        while free:
            for target in left.get(free.pop(), ()):
                entered[target] -= 1
                if entered[target] == 0:
                    free.append(target)
        return [state for state, count in entered.items() if count > 0]


async def explore(play: Callable[[Path], Awaitable[Stop]]) -> Graph:
    """The graph of everything reachable."""
    graph = Graph()
    todo: deque[tuple[Path, Stop]] = deque()

    def arrive(path: Path, stop: Stop) -> None:
        graph.plays += 1
        if stop.state not in graph.paths:
            graph.paths[stop.state] = path
            graph.successors[stop.state] = set()
            todo.append((path, stop))

    arrive((), await play(()))
    while todo:
        path, here = todo.popleft()
        for option in range(here.options):
            there = await play((*path, option))
            graph.successors[here.state].add(there.state)
            arrive((*path, option), there)
    return graph


def described(states: Iterable[State]) -> str:
    """A few of them, for a failing test."""
    return "\n".join(str(state) for state in list(states)[:5])
