"""Display server of a desktop: protocols of its connections, implemented by `x11`; only `wiring` names that package.

Points and rectangles are physical screen pixels. The methods of `Screen` and of its parts block: they run through
`Connection.run`, in its thread. A surface is a top-level window or a menu, by a number of the server's own.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from deskhand.core.errors import DesktopGone
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.processes import Holder
from deskhand.desktop.protocols.input import Chord, LeftDown, MouseButton
from deskhand.desktop.protocols.live import Look, RecordedEvent
from deskhand.desktop.protocols.screen import Aim, ScreenInfo
from deskhand.desktop.user_guard import Guard

T = TypeVar("T")

CALL_DEADLINE_S: Final = 5.0

DRAG_BEGUN: Final = ("the press of a drag",)
"""`sent` of the errors that end a drag after its press."""


class WindowList(Protocol):
    """Top-level windows. Methods that take a window raise ApplicationGone."""

    def list(self) -> tuple[TargetInfo, ...]:
        """Return the windows, front first."""
        ...

    def get(self, window: TargetInfo) -> TargetInfo:
        """Return the window with its present place, title and states."""
        ...

    def is_active(self, window: TargetInfo) -> bool:
        """True if the window has the keyboard."""
        ...

    def pid_of(self, surface: int) -> int | None:
        """Return the process that a surface belongs to; None where it is not known."""
        ...

    def client_rect(self, window: TargetInfo) -> Rect:
        """Return the rectangle of a window with the shadow that it draws itself."""
        ...

    def request_activation(self, window: TargetInfo) -> None:
        """Ask for a window to be raised and to get the keyboard."""
        ...

    def request_closing(self, window: TargetInfo) -> None:
        """Ask a window to close, as its close button does."""
        ...


class Stacking(Protocol):
    """Screens, the order of the surfaces on them, and hit tests. Methods that take a window raise ApplicationGone."""

    def screens(self) -> tuple[ScreenInfo, ...]:
        """Return the screens, the primary one first."""
        ...

    def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        """Find the point of `Screen.aim` among surfaces. Raises: TargetCovered, ActionRefused."""
        ...

    def held(self, aims: Sequence[Aim]) -> AbstractContextManager[None]:
        """Keep every surface in place meanwhile. Raises: TargetCovered, TargetMoving where an aim no longer holds."""
        ...

    def is_popup(self, window: TargetInfo, taken_by: str) -> Rect | None:
        """Return the rectangle of the surface `Aim.taken_by` if it is a popup of the window's program."""
        ...

    def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        """Return the rectangles of all popups of the window's program, front first."""
        ...

    def menus(self, window: TargetInfo) -> tuple[Rect, ...]:
        """Return the rectangles of those popups that are declared as menus."""
        ...

    def reaching_into(self, place: Rect, windows: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
        """Return those of these windows whose program shows a popup inside `place`."""
        ...

    def menu_of_another(self, window: TargetInfo) -> str | None:
        """Return the program with an open menu, which has the keyboard, other than that of the window."""
        ...

    def shown_of(self, window: TargetInfo, place: Rect) -> tuple[Rect, ...]:
        """Return the visible parts of a place in a window or its popups, as rectangles that do not overlap."""
        ...

    def under_none(self, place: Rect, window: TargetInfo, covers: Sequence[TargetInfo]) -> tuple[Rect, ...]:
        """Return the parts of a place in a window, or in a popup of its program, that none of `covers` occludes.

        The whole place where windows may be translucent.
        """
        ...

    def over(self, window: TargetInfo) -> tuple[Rect, ...]:
        """Return the rectangles of all surfaces above a window."""
        ...

    def beyond(self) -> tuple[Rect, ...]:
        """Return the regions outside the display, where no paint is observed."""
        ...


@dataclass(frozen=True, slots=True)
class Stroke:
    """Key codes pressed one after the other and released in reverse order, in one layout group of the keyboard.

    `is_lock`: the last one turns a lock on or off.
    """

    codes: tuple[int, ...]
    group: int = 0
    is_lock: bool = False


@dataclass(frozen=True, slots=True)
class KeyBatch:
    """Strokes of the first `count` chords, pressed in one go.

    `borrowed`: a key got a new meaning for them, which applications have to handle first. `data`: the keyboard map
    that they were made for.
    """

    strokes: tuple[Stroke, ...]
    count: int
    borrowed: bool
    data: bytes


class PointerAndKeyboard(Protocol):
    """Synthetic input. Every key and button is released before a method returns or raises, except those of a drag, of
    `hold_down`, and those that are left down.

    `held`: modifiers that are down meanwhile. All methods that send events raise PersonActs where the user acts, and
    those that press ActionRefused where a button, or keys, are left down.
    """

    def click(self, point: Point, button: MouseButton, count: int, held: Sequence[str] = ()) -> None: ...

    def hold_down(self, point: Point, button: MouseButton, held: Sequence[str] = ()) -> None:
        """Press at a point. The button stays down until `let_go`."""
        ...

    def move(self, point: Point) -> Point:
        """Move the pointer, evenly while a button is left down; return its previous position."""
        ...

    def scroll(self, point: Point, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None: ...

    def begin_drag(self, path: Sequence[Point], button: MouseButton, held: Sequence[str] = ()) -> None:
        """Press at the first point and move towards the second until a drag begins. The button stays down."""
        ...

    def drag_on(self, path: Sequence[Point]) -> None:
        """Move the rest of the way. Raises: PersonActs and ActionDeadline, with the button released."""
        ...

    def hover(self, path: Sequence[Point]) -> None:
        """Move once more at the end of the drag: a pixel back, and on to it. Raises: as `drag_on`."""
        ...

    def end_drag(self) -> None:
        """Release the button. Raises: as `drag_on`."""
        ...

    def let_go(self, after_ms: int = 0) -> None:
        """Release every key and button that is down, after so long, except those that are left down."""
        ...

    def leave_button_down(self, point: Point, button: MouseButton, for_s: float) -> None:
        """Press at a point and leave the button down; after `for_s`, or where the user acts, it is released."""
        ...

    def leave_keys_down(self, batch: KeyBatch, name: str, for_s: float) -> bool:
        """Press the keys of a chord, as `leave_button_down`; False as for `press`. `name` is used in messages."""
        ...

    def left_down(self) -> LeftDown:
        """Return the button and the keys that are left down."""
        ...

    def pointer(self) -> Point:
        """Return the position of the pointer."""
        ...

    def release(self, *, button: bool = True, keys: bool = True) -> LeftDown:
        """Release the button and the keys that were left down; return them."""
        ...

    def locks(self) -> frozenset[str]:
        """Return the locks that are on, as the keyboard's lights show them."""
        ...

    def prepare(self, chords: Sequence[Chord]) -> KeyBatch:
        """Return the strokes of the first of these chords. Raises: ActionRefused (a key that cannot be pressed)."""
        ...

    def press(self, batch: KeyBatch, earlier: int = 0) -> bool:
        """Press a batch; False, with nothing pressed, if the keyboard map changed since it was prepared.

        `earlier`: number of keys of the same text pressed before. Raises: ActionRefused (before any key goes down).
        """
        ...

    def restore(self) -> None:
        """Release everything and restore the keyboard map."""
        ...


class LivePointer(Protocol):
    """A person's pointer, event by event. Buttons, and modifiers with them, stay down until they are released.

    `held`: modifiers that are down while a button is, or the wheel turns. Raises: ActionRefused (the layout lacks one).
    """

    def look(self) -> Look: ...

    def move(self, point: Point, held: Sequence[str]) -> None: ...

    def change_button(self, point: Point, button: MouseButton, held: Sequence[str], *, is_down: bool) -> None: ...

    def turn_wheel(self, point: Point, across: int, down: int, held: Sequence[str]) -> None:
        """Turn by notches; positive is right and down."""
        ...

    def lift(self) -> None:
        """Release the modifiers."""
        ...

    def release(self) -> None:
        """Release all buttons and modifiers."""
        ...


class DragNotice(Protocol):
    """Notice that an application began a drag and drop."""

    def listen(self) -> None:
        """Ignore drags that began before."""
        ...

    def began(self) -> bool:
        """True if one began since `listen`."""
        ...


class Screen(Protocol):
    """Blocking calls of one connection."""

    @property
    def windows(self) -> WindowList: ...

    @property
    def stack(self) -> Stacking: ...

    @property
    def input(self) -> PointerAndKeyboard: ...

    @property
    def live(self) -> LivePointer: ...

    @property
    def dnd(self) -> DragNotice: ...


class Connection(Protocol):
    """Connection that makes blocking calls one after the other, in a thread of its own."""

    async def run(self, work: Callable[[Screen], T], *, deadline_s: float = CALL_DEADLINE_S) -> T:
        """Return the result of `work`. Cancelled, it waits briefly for a call that is under way.

        Raises: DesktopGone where the server is gone or does not answer, and the errors of `work`.
        """
        ...


class Camera(Protocol):
    """Capture of the screen."""

    async def grab(self, region: Rect | None = None) -> Shot:
        """Return the pixels of the screen, or of the part of `region` on it, passwords included.

        Raises: CaptureFailed.
        """
        ...


class ScreenWatcher(Protocol):
    """Receiver of changes. All calls come in the event loop."""

    def repaint(self, surface: int, corner: tuple[int, int], rects: Sequence[Rect]) -> None:
        """Pixels of a surface changed; `rects` are relative to its corner, which is on the screen."""
        ...

    def window(self, surface: int, what: str) -> None:
        """A surface opened, closed or moved; `what` describes it."""
        ...

    def created(self, surface: int) -> None:
        """A surface was created; a former one may have had its number."""
        ...

    def changed(self) -> None:
        """Something changed, pixels or the window list."""
        ...

    def hung_up(self) -> None:
        """The server reports nothing any more."""
        ...


class ScreenChanges(Protocol):
    """Reports of changed pixels and surfaces, sent to a `ScreenWatcher`."""

    @property
    def unseen(self) -> str:
        """Changes that the server does not report, and why; empty: it reports all."""
        ...

    async def fence(self) -> bool:
        """Return once every earlier change is reported; False if the server hung up."""
        ...


class Clipboard(Protocol):
    """Clipboard of the display, over connections of its own. All methods raise DesktopGone."""

    async def offer(self, formats: Mapping[str, bytes]) -> None:
        """Own the clipboard with these contents (form → bytes); without any, release it."""
        ...

    async def fetches(self) -> int:
        """Return how often the contents of the latest offer were fetched."""
        ...

    async def read(self, form: str, deadline_s: float) -> bytes | None:
        """Return the content in one form (TARGETS: the names of all, one a line).

        Empty where no owner offers it, None at the deadline. Raises: ActionRefused (more than 64 MiB).
        """
        ...

    async def read_all(self, most_bytes: int, deadline_s: float) -> Mapping[str, bytes] | None:
        """Return all forms, empty without an owner; None where they are larger or take longer."""
        ...

    async def taken(self, act: Callable[[], Awaitable[None]], deadline_s: float) -> bool:
        """Run `act`; True if an application takes the clipboard over before the deadline. Raises: errors of `act`."""
        ...


class DisplayServer(Protocol):
    """One display, opened."""

    @property
    def label(self) -> str:
        """Name of the server in messages, as "the X server of :1"."""
        ...

    @property
    def guard(self) -> Guard:
        """Guard that is asked before input is sent."""
        ...

    @property
    def connection(self) -> Connection: ...

    @property
    def camera(self) -> Camera: ...

    @property
    def changes(self) -> ScreenChanges: ...

    def clipboard(self) -> Clipboard:
        """Return a clipboard owner that no other caller shares."""
        ...

    async def has_handled_keys(self, deadline_s: float) -> bool | None:
        """True if the active window has handled all keys sent before; None where it cannot be asked.

        Raises: DesktopGone.
        """
        ...

    async def watch_user(self) -> tuple[str, ...]:
        """Report input that this process did not send to the guard until the display is closed, while its rules watch.

        Return what cannot be detected, in sentences. Raises: DesktopGone.
        """
        ...

    def gone(self) -> DesktopGone:
        """Return the error for a server that hung up or does not answer."""
        ...


class DisplayServerKind(Protocol):
    """Kind of display server: opens displays and locks their input. All methods raise DesktopGone."""

    async def check(self, name: str) -> None:
        """Raise DesktopGone unless a server answers at a display."""
        ...

    async def open(
        self, name: str, guard: Guard, watcher: ScreenWatcher, stack: AsyncExitStack, *, whole_screen: bool = False
    ) -> DisplayServer:
        """Open a display; `stack` closes it. `whole_screen`: only its repainted parts are reported, and of no surface.

        Raises: CaptureFailed.
        """
        ...

    def open_to_viewers(self, name: str, holder: Holder) -> AbstractAsyncContextManager[Callable[[], Awaitable[None]]]:
        """Have everybody know of a viewer at a display (`Guard.has_viewer`) until left, or until this process dies.

        Yield a function that releases keys and buttons of a client that went.
        Raises: DesktopBusy (there is one).
        """
        ...

    def hold(
        self, name: str, holder: Holder, *, patience_s: float, of_viewers: bool = False
    ) -> AbstractAsyncContextManager[None]:
        """Lock the pointer and keyboard of a display for this process, with nothing pressed.

        `of_viewers`: what the users of viewers hold is released too. Raises: DesktopBusy after `patience_s`.
        """
        ...

    async def holder_of(self, name: str) -> Holder | None:
        """Return who has the pointer and keyboard of a display."""
        ...

    def recorded_input(self, name: str, take: Callable[[RecordedEvent], None]) -> AbstractAsyncContextManager[None]:
        """Report keys, buttons and the wheel of a display, whoever sends them, to `take` until left, and windows that
        come, all in the display server's order.

        Raises: MissingRequirement where the server does not record input.
        """
        ...
