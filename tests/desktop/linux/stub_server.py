"""A display server in memory: one window on one screen, and a list of the events that were sent to it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from deskhand.core.errors import ApplicationGone, DesktopGone
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.display_server import CALL_DEADLINE_S, KeyBatch, Screen
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.protocols.input import Chord, LeftDown, MouseButton
from deskhand.desktop.protocols.live import Look
from deskhand.desktop.protocols.screen import Aim, ScreenInfo
from deskhand.desktop.user_guard import Guard

T = TypeVar("T")

SCREEN = Rect(0, 0, 64, 48)


class StubPointer:
    """A person's pointer."""

    def __init__(self, sent: list[str]) -> None:
        self._sent = sent

    def look(self) -> Look:
        return Look(Point(0, 0), SCREEN)

    def move(self, point: Point, held: Sequence[str]) -> None:
        self._sent.append(f"to {point.x},{point.y}")

    def change_button(self, point: Point, button: MouseButton, held: Sequence[str], *, is_down: bool) -> None:
        self._sent.append(f"{button} {'down' if is_down else 'up'}")

    def turn_wheel(self, point: Point, across: int, down: int, held: Sequence[str]) -> None:
        self._sent.append(f"wheel {across},{down}")

    def lift(self) -> None: ...

    def release(self) -> None:
        self._sent.append("release")


class StubServer:
    """Each part of the display server in one object; `sent` is the input that it got."""

    label = "the stub server"
    unseen = ""

    def __init__(self, window: TargetInfo) -> None:
        self.window = window
        self.sent: list[str] = []
        self.guard = Guard()
        self.copied: Mapping[str, bytes] = {}
        self.live = StubPointer(self.sent)

    @property
    def connection(self) -> "StubServer":
        return self

    camera = changes = windows = stack = input = dnd = connection

    def clipboard(self) -> "StubServer":
        return self

    async def run(self, work: Callable[[Screen], T], *, deadline_s: float = CALL_DEADLINE_S) -> T:
        return work(self)

    async def has_handled_keys(self, deadline_s: float) -> bool | None: ...

    async def watch_user(self) -> tuple[str, ...]:
        return ("no user can be noticed",)

    def gone(self) -> DesktopGone:
        return DesktopGone("the stub server is gone")

    async def grab(self, region: Rect | None = None) -> Shot:
        rect = SCREEN.intersection(region or SCREEN)
        return Shot(bytearray(rect.area * 4), rect)

    async def fence(self) -> bool:
        return True

    # windows

    def list(self) -> tuple[TargetInfo, ...]:
        return (self.window,)

    def get(self, window: TargetInfo) -> TargetInfo:
        if window.handle != self.window.handle:
            raise ApplicationGone(f"{window.name} is gone")
        return self.window

    def is_active(self, window: TargetInfo) -> bool:
        return window.handle == self.window.handle

    def pid_of(self, surface: int) -> int | None: ...

    def client_rect(self, window: TargetInfo) -> Rect:
        return window.rect

    def request_activation(self, window: TargetInfo) -> None: ...

    def request_closing(self, window: TargetInfo) -> None: ...

    # stacking

    def screens(self) -> tuple[ScreenInfo, ...]:
        return (ScreenInfo("stub", SCREEN, primary=True),)

    def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        return Aim(place.center, window, window.handle)

    def held(self, aims: Sequence[Aim]) -> AbstractContextManager[None]:
        assert all(aim.taken_by == self.window.handle for aim in aims)
        return nullcontext()

    def is_popup(self, window: TargetInfo, taken_by: str) -> Rect | None: ...

    def no_rects(self, *_: object, **__: object) -> tuple[Rect, ...]:
        return ()

    popups = menus = over = beyond = no_rects

    def reaching_into(self, place: Rect, windows: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
        return ()

    def menu_of_another(self, window: TargetInfo) -> str | None: ...

    def shown_of(self, window: TargetInfo, place: Rect) -> tuple[Rect, ...]:
        return (place,)

    def under_none(self, place: Rect, window: TargetInfo, covers: Sequence[TargetInfo]) -> tuple[Rect, ...]:
        return (place,)

    # input

    def click(self, point: Point, button: MouseButton, count: int, held: Sequence[str] = ()) -> None:
        self.sent.append(f"{button} x{count} at {point.x},{point.y}")

    def move(self, point: Point) -> Point:
        return point

    def scroll(self, point: Point, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None: ...

    def begin_drag(self, path: Sequence[Point], button: MouseButton, held: Sequence[str] = ()) -> None: ...

    def drag_on(self, path: Sequence[Point]) -> None: ...

    def hover(self, path: Sequence[Point]) -> None: ...

    def hold_down(self, point: Point, button: MouseButton, held: Sequence[str] = ()) -> None: ...

    def let_go(self, after_ms: int = 0) -> None: ...

    def leave_button_down(self, point: Point, button: MouseButton, for_s: float) -> None: ...

    def leave_keys_down(self, batch: KeyBatch, name: str, for_s: float) -> bool:
        return True

    def pointer(self) -> Point:
        return Point(0, 0)

    def left_down(self) -> LeftDown:
        return LeftDown()

    def release(self, *, button: bool = True, keys: bool = True) -> LeftDown:
        return LeftDown()

    def locks(self) -> frozenset[str]:
        return frozenset()

    def nothing(self) -> None: ...

    end_drag = restore = listen = nothing

    def began(self) -> bool:
        return False

    def prepare(self, chords: Sequence[Chord]) -> KeyBatch:
        return KeyBatch((), len(chords), borrowed=False, data="+".join(chord.key for chord in chords).encode())

    def press(self, batch: KeyBatch, earlier: int = 0) -> bool:
        self.sent.append(batch.data.decode())
        return True

    # clipboard

    async def offer(self, formats: Mapping[str, bytes]) -> None:
        self.copied = formats

    async def fetches(self) -> int:
        return 0

    async def read(self, form: str, deadline_s: float) -> bytes | None:
        return self.copied.get(form, b"")

    async def read_all(self, most_bytes: int, deadline_s: float) -> Mapping[str, bytes] | None:
        return self.copied

    async def taken(self, act: Callable[[], Awaitable[None]], deadline_s: float) -> bool:
        await act()
        return False
