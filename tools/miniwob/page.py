"""An open MiniWoB++ page as a script sees it: through accessibility alone, acting by the tools that agents use."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

import deskhand
from deskhand.core.command import Effect, Result
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.eval.miniwob.server import Episode

_COMES_S: Final = 5.0
_MOST_NOTCHES: Final = 40
FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD, Role.SPINBUTTON})


class Unsolved(Exception):
    """The page lacks what its request needs, as far as it is exposed."""


@dataclass(frozen=True, slots=True)
class Move:
    """One action and its verdict."""

    tool: str
    target: str
    effect: Effect
    evidence: str
    seconds: float


def words(control: TargetInfo) -> str:
    """Return the text that a control shows."""
    return " ".join((control.name or control.value).split())


@dataclass(slots=True)
class Page:
    """`area`: the visible controls below the request, parents before children, as they were last observed."""

    window: deskhand.Window
    episode: Episode
    request: str
    area: tuple[TargetInfo, ...] = ()
    moves: list[Move] = field(default_factory=list[Move])
    _seen: Observation | None = None

    @property
    def over(self) -> bool:
        return self.episode.ending is not None

    async def look(self, *, settle: bool = True) -> tuple[TargetInfo, ...]:
        """Observe the page, once it is quiet."""
        if settle:
            await self.window.settle()
        self._seen = await self.window.observe()
        self.area = _below_request(self._seen.controls)
        return self.area

    def of(self, *roles: Role) -> list[TargetInfo]:
        """Return the controls of these roles."""
        return [control for control in self.area if control.type in roles]

    @property
    def fields(self) -> list[TargetInfo]:
        return [each for each in self.area if each.type in FIELDS and "editable" in each.states]

    def maybe(self, text: str, *roles: Role, exact: bool = True) -> TargetInfo | None:
        """Return the innermost control that shows a text; of several the first."""
        wanted = [each for each in self.area if not roles or each.type in roles]
        found = [each for each in wanted if words(each) == text]
        if not exact:
            found = found or [each for each in wanted if words(each).lower() == text.lower()]
            found = found or [each for each in wanted if text.lower() in words(each).lower()]
        return min(found, key=lambda each: each.rect.width * each.rect.height, default=None)

    def find(self, text: str, *roles: Role, exact: bool = True) -> TargetInfo:
        """Return it. Raises: Unsolved."""
        found = self.maybe(text, *roles, exact=exact)
        if found is None:
            raise Unsolved(f"no {' or '.join(roles) or 'control'} shows {text!r}; there are {self.shown}")
        return found

    @property
    def shown(self) -> str:
        return "; ".join(each.describe for each in self.area)[:400]

    def inside(self, outer: TargetInfo) -> list[TargetInfo]:
        """Return the controls within the place of another one."""
        return [each for each in self.area if each is not outer and outer.rect.contains(each.rect.center)]

    async def wait_for(self, text: str, *roles: Role) -> TargetInfo:
        """Observe until a control shows a text. Raises: Unsolved."""

        async def there() -> bool:
            await self.look(settle=False)
            return self.maybe(text, *roles) is not None

        locator = self.window.locator(roles[0] if roles else None, text=re.compile(f"^{re.escape(text)}$"))
        await locator.wait(timeout_s=_COMES_S) if not await there() else None
        await self.look()
        return self.find(text, *roles)

    async def scroll_to(self, text: str, *roles: Role, exact: bool = True, below: int = 0) -> TargetInfo:
        """Turn the wheel over the list until a text is in view, with some pixels below it. Raises: Unsolved."""
        for _ in range(_MOST_NOTCHES):
            await self.look()
            found = self.maybe(text, *roles, exact=exact)
            box = next((each for each in self.area if "scrollDown" in each.actions), None)
            bottom = self._place.bottom if box is None else min(box.rect.bottom, self._place.bottom)
            if found is not None and (box is None or found.rect.bottom + below <= bottom):
                return found
            if box is None:
                break
            await self.act(box, "wheel_mouse_input", wheel_dist=-1)
        raise Unsolved(f"{text!r} is nowhere in the list; there are {self.shown}")

    async def act(self, control: TargetInfo | None, tool: str, **arguments: JsonValue) -> Result:
        """Use a tool on a control of the latest observation."""
        seen = self._seen
        if seen is None:
            raise Unsolved("nothing was observed")
        result = await self.window.act_on(control, seen, tool, arguments, check=False)
        self._note(tool, control.describe if control else str(arguments), result)
        return result

    async def click(self, control: TargetInfo) -> Result:
        return await self.act(control, "click_input")

    async def press(self, name: str, *roles: Role) -> None:
        """Click the control that shows a text, and observe the page."""
        await self.click(self.find(name, *roles, exact=False))
        if not self.over:
            await self.look()

    async def submit(self, name: str = "Submit") -> None:
        """Press the button that ends the request."""
        await self.look()
        await self.click(self.find(name, exact=False))

    async def fill(self, control: TargetInfo, text: str) -> None:
        await self.act(control, "set_edit_text", text=text)

    async def keys(self, keys: str) -> None:
        """Press keys where the keyboard is."""
        self._note("keyboard_input", keys, await self.window.press_keys(keys, check=False))

    async def click_at(self, point: Point) -> None:
        """Click a point of the screen, whatever is there."""
        x, y = self._share(point)
        await self.act(None, "click_on_coordinates", x=x, y=y)

    async def drag(self, start: Point, end: Point) -> None:
        """Drag from a point of the screen to another one."""
        (start_x, start_y), (end_x, end_y) = self._share(start), self._share(end)
        via: list[JsonValue] = [self._via(start, end, part) for part in (0.2, 0.5, 0.8)]
        await self.act(
            self._at(start),
            "drag_on_coordinates",
            start_x=start_x,
            start_y=start_y,
            end_x=end_x,
            end_y=end_y,
            via=via,
        )

    def _via(self, start: Point, end: Point, part: float) -> JsonValue:
        x, y = start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part
        share_x, share_y = self._share(Point(round(x), round(y)))
        return {"x": share_x, "y": share_y}

    def _share(self, point: Point) -> tuple[float, float]:
        rect = self._place
        return (point.x - rect.left + 0.5) / rect.width, (point.y - rect.top + 0.5) / rect.height

    @property
    def _place(self) -> Rect:
        return self._seen.window.rect if self._seen else self.window.info.rect

    def _at(self, point: Point) -> TargetInfo | None:
        return next((each for each in reversed(self.area) if each.rect.contains(point)), None)

    def _note(self, tool: str, target: str, result: Result) -> None:
        error = result.error.message if result.error else ""
        self.moves.append(Move(tool, target, result.effect or Effect.REFUSED, error or result.evidence, result.seconds))


def _below_request(controls: Collection[TargetInfo]) -> tuple[TargetInfo, ...]:
    """Return the controls of the page but for the box at its top, which has the request."""
    parents = {each.handle: each.parent for each in controls}
    page = next((each for each in controls if each.type is Role.DOCUMENT), None)
    if page is None:
        return ()

    def is_inside(control: TargetInfo, outer: str) -> bool:
        handle = control.handle
        while handle and handle != outer:
            handle = parents.get(handle, "")
        return handle == outer

    content = [each for each in controls if each is not page and is_inside(each, page.handle)]
    box = next((each for each in content if each.value or each.name), None)
    return tuple(each for each in content if box is None or not is_inside(each, box.handle))
