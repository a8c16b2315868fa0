"""Pointer and keyboard."""

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from itertools import pairwise
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point
from deskhand.desktop.multi_click import DOUBLE_CLICK_S, Presses
from deskhand.desktop.protocols.input import HELD_S, Chord, LeftDown, MouseButton
from deskhand.desktop.protocols.screen import Aim, point_of
from deskhand.desktop.windows import synthetic
from deskhand.desktop.windows.base import Base, pause
from deskhand.desktop.windows.screen_methods import still_holds

_STEPS: Final = 12
"""Places between two points of a drag at which the pointer is reported."""
_STEP_S: Final = 0.01


class InputMethods(Base):
    """The protocol `Input`."""

    def __init__(self) -> None:
        super().__init__()
        self._presses = Presses()
        self._button: MouseButton | None = None
        self._keys: Chord | None = None
        self._release_at_s = 0.0

    async def click(
        self,
        at: Point | Aim,
        *,
        button: MouseButton = MouseButton.LEFT,
        count: int = 1,
        held: Sequence[str] = (),
    ) -> None:
        def press() -> None:
            _check(at)
            synthetic.move(point_of(at))
            with _held(held):
                for _ in range(count):
                    synthetic.button(button, down=True)
                    synthetic.button(button, down=False)

        async with self._pressing(point_of(at), button):
            await self._worker.run(press)

    async def wait_out_double_click(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        at_s = self._presses.apart_at_s(point, button)
        if at_s is None or at_s <= monotonic():
            return False
        with anyio.move_on_after(min(at_s - monotonic(), DOUBLE_CLICK_S)):
            await anyio.sleep_forever()
        return True

    async def drag(
        self,
        start: Point | Aim,
        end: Point | Aim,
        *,
        via: Sequence[Point] = (),
        button: MouseButton = MouseButton.LEFT,
        held: Sequence[str] = (),
    ) -> float:
        path = [point_of(start), *via, point_of(end)]
        async with self._pressing(path[0], button):
            await self._worker.run(partial(_check, start))
            await self._worker.run(partial(_check, end))
            await self._worker.run(partial(_begin_drag, path[0], button, held))
            try:
                for before, after in pairwise(path):
                    for step in range(1, _STEPS + 1):
                        self.guard.check(sent=("the beginning of the drag",))
                        await self._worker.run(partial(synthetic.move, _between(before, after, step / _STEPS)))
                        await pause(_STEP_S)  # programs combine motions that come faster than they are handled
            finally:
                with anyio.CancelScope(shield=True):
                    await self._worker.run(partial(_end_drag, button, held))
        return monotonic()

    async def hover(self, at: Point | Aim) -> Point:
        async with self._alone():
            return await self._worker.run(partial(_hover, at))

    async def scroll(self, at: Point | Aim, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None:
        def turn() -> None:
            _hover(at)
            with _held(held):
                synthetic.wheel(notches, sideways=sideways)

        async with self._alone():
            await self._worker.run(turn)

    async def hold_button(self, at: Point | Aim, button: MouseButton, *, for_s: float = HELD_S) -> None:
        def hold() -> None:
            _hover(at)
            synthetic.button(button, down=True)

        async with self._pressing(point_of(at), button):
            await self._worker.run(hold)
            self._button, self._release_at_s = button, monotonic() + for_s

    async def hold_keys(self, chord: Chord, *, for_s: float = HELD_S) -> None:
        async with self._alone():
            self._require_keys_up()
            await self._worker.run(partial(synthetic.hold, chord))
            self._keys, self._release_at_s = chord, monotonic() + for_s

    async def let_go(self, at: Point | Aim | None = None, *, button: bool = True, keys: bool = True) -> LeftDown:
        async with self._alone():
            down = self._down()
            if at is not None:
                await self._worker.run(partial(_hover, at))
            await self._release(button=button, keys=keys)
        return LeftDown(down.button if button else "", down.keys if keys else "")

    async def left_down(self) -> LeftDown:
        self._require_open()
        return self._down()

    async def pointer(self) -> Point:
        self._require_open()
        return await self._worker.run(synthetic.pointer)

    async def locks(self) -> frozenset[str]:
        self._require_open()
        return await self._worker.run(synthetic.locks_on)

    async def press(self, chords: Sequence[Chord]) -> None:
        async with self._alone():
            self._require_keys_up()
            for chord in chords:
                synthetic.keys_down(chord)  # an unknown key is refused before any goes down
            for number, chord in enumerate(chords):
                self.guard.check(sent=(f"the first {number} of {len(chords)} keys",) if number else ())
                await self._worker.run(partial(synthetic.press, chord))

    async def _release(self, *, button: bool = True, keys: bool = True) -> None:
        if button and self._button is not None:
            await self._worker.run(partial(synthetic.button, self._button, down=False))
            self._button = None
        if keys and self._keys is not None:
            await self._worker.run(partial(synthetic.release, self._keys))
            self._keys = None

    def _down(self) -> LeftDown:
        keys = "+".join((*self._keys.modifiers, self._keys.key)) if self._keys else ""
        return LeftDown(str(self._button) if self._button else "", keys)

    def _require_keys_up(self) -> None:
        if self._keys is not None:
            raise ActionRefused(f"{self._down().keys} is still down", fix="release it with let_go first")

    @asynccontextmanager
    async def _pressing(self, point: Point, button: MouseButton) -> AsyncGenerator[None]:
        async with self._alone():
            if self._button is not None:
                raise ActionRefused(f"the {self._button} button is still down", fix="release it with let_go first")
            await self.wait_out_double_click(point, button=button)
            yield
            self._presses.note(point, button, monotonic())


def _check(at: Point | Aim) -> None:
    if isinstance(at, Aim):
        still_holds(at)


def _hover(at: Point | Aim) -> Point:
    _check(at)
    before = synthetic.pointer()
    synthetic.move(point_of(at))
    return before


def _begin_drag(start: Point, button: MouseButton, held: Sequence[str]) -> None:
    synthetic.move(start)
    synthetic.modifiers(held, down=True)
    synthetic.button(button, down=True)


def _end_drag(button: MouseButton, held: Sequence[str]) -> None:
    synthetic.button(button, down=False)
    synthetic.modifiers(held, down=False)


@contextmanager
def _held(names: Sequence[str]) -> Generator[None]:
    synthetic.modifiers(names, down=True)
    try:
        yield
    finally:
        synthetic.modifiers(names, down=False)


def _between(start: Point, end: Point, share: float) -> Point:
    return Point(round(start.x + (end.x - start.x) * share), round(start.y + (end.y - start.y) * share))
