"""UI Automation in memory: programs made of controls, and elements that are copies of them as of one moment."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from deskhand.desktop.windows.uia import com
from deskhand.desktop.windows.uia.com import Connection, Pattern
from deskhand.desktop.windows.uia.numbers import (
    Endpoint,
    ExpandCollapseState,
    PatternId,
    Property,
    Result,
    TextUnit,
    TreeScope,
)
from desktop.windows.uia.fake_controls import Control

T = TypeVar("T")


class FakeComError(Exception):
    """The error of comtypes."""

    def __init__(self, result: int) -> None:
        super().__init__(f"{result:#x}")
        self.hresult = result - (1 << 32)


@dataclass(slots=True)
class Box:
    left: int
    top: int
    right: int
    bottom: int


@dataclass(slots=True)
class Request:
    """A cache request."""

    TreeScope: int = TreeScope.Element
    TreeFilter: com.Condition = None  # pyright: ignore[reportAssignmentType]  # null until it is set
    properties: set[int] = field(default_factory=set[int])

    def AddProperty(self, property_id: int) -> object:
        self.properties.add(property_id)
        return None


@dataclass(slots=True)
class Holds:
    """A condition: a function of a control."""

    of: Callable[[Control], bool]


class ControlArray:
    def __init__(self, elements: "Sequence[FakeElement]") -> None:
        self._elements = elements
        self.Length = len(elements)

    def __bool__(self) -> bool:
        return self.Length > 0  # of no elements a null pointer is returned

    def GetElement(self, index: int) -> "FakeElement":
        return self._elements[index]


class FakeElement:
    """An element: what was requested, as it was then, and the way to the control."""

    def __init__(self, automation: "FakeAutomation", control: Control, request: Request) -> None:
        self._automation, self.control = automation, control
        self._values = {each: control.value_of(Property(each)) for each in request.properties}
        inside = control.children if request.TreeScope == TreeScope.Subtree else ()
        self._children = [FakeElement(automation, child, request) for child in inside]
        self.CachedControlType: int = control.kind
        self.CachedName: str | None = control.name or None
        self.CachedIsEnabled, self.CachedIsOffscreen = int(control.enabled), int(control.offscreen)
        self.CachedIsPassword = int(control.password)
        self.CachedNativeWindowHandle: int | None = control.handle or None
        self.CachedBoundingRectangle: com.Rectangle = Box(*control.rect)

    def GetCachedPropertyValue(self, property_id: int) -> object:
        if property_id not in self._values:
            raise FakeComError(Result.E_INVALIDARG)
        return self._values[property_id]

    def GetCachedChildren(self) -> ControlArray:
        return ControlArray(self._children)

    def FindAllBuildCache(self, scope: int, condition: com.Condition, request: com.CacheRequest) -> ControlArray:
        self._automation.call("FindAllBuildCache", self.control)
        assert scope == TreeScope.Subtree
        assert isinstance(condition, Holds)
        assert isinstance(request, Request)
        found = [each for each in (self.control, *self.control.descendants()) if condition.of(each)]
        self._automation.requested += [(each, set(request.properties)) for each in found]
        return ControlArray([FakeElement(self._automation, each, request) for each in found])

    def SetFocus(self) -> object:
        self._automation.call("SetFocus", self.control)
        for each in self._automation.controls():
            each.focused = each is self.control
        return None

    def GetCurrentPattern(self, pattern_id: int) -> com.Unknown:
        self._automation.call("GetCurrentPattern", self.control)
        is_there = self.control.patterns()[PatternId(pattern_id)]
        return FakePattern(self._automation, self.control, PatternId(pattern_id)) if is_there else NULL


@dataclass(frozen=True, slots=True)
class Null:
    """A null pointer."""

    def __bool__(self) -> bool:
        return False

    def QueryInterface(self, interface: type[T]) -> T:
        raise AssertionError(interface)


NULL = Null()


_PATTERNS_OF = {
    "Invoke": {PatternId.Invoke},
    "DoDefaultAction": {PatternId.LegacyIAccessible},
    "Toggle": {PatternId.Toggle},
    "Select": {PatternId.SelectionItem},
    "Expand": {PatternId.ExpandCollapse},
    "Collapse": {PatternId.ExpandCollapse},
    "SetValue": {PatternId.Value, PatternId.RangeValue},
    "ScrollIntoView": {PatternId.ScrollItem},
    "Realize": {PatternId.VirtualizedItem},
}


@dataclass(slots=True)
class FakePattern:
    """A pattern of a control. Its calls change the control, as its program would."""

    automation: "FakeAutomation"
    control: Control
    id: PatternId

    def QueryInterface(self, interface: type[T]) -> T:
        assert isinstance(self, interface)
        return self

    def _changes(self, call: str) -> Control:
        assert self.id in _PATTERNS_OF[call]
        self.automation.call(call, self.control)
        if not self.control.enabled:
            raise FakeComError(Result.UIA_E_ELEMENTNOTENABLED)
        return self.control

    def Invoke(self) -> object:
        press = self._changes("Invoke").on_invoke
        return press() if press else None

    def DoDefaultAction(self) -> object:
        self._changes("DoDefaultAction").default_action = "done"
        return None

    def Toggle(self) -> object:
        control = self._changes("Toggle")
        control.toggled = 0 if control.toggled else 1
        return None

    def Select(self) -> object:
        control = self._changes("Select")
        for each in self.automation.parent_of(control).children:
            each.selected = None if each.selected is None else each is control
        return None

    def Expand(self) -> object:
        self._changes("Expand").expansion = ExpandCollapseState.Expanded
        return None

    def Collapse(self) -> object:
        self._changes("Collapse").expansion = ExpandCollapseState.Collapsed
        return None

    @property
    def CurrentValue(self) -> str | None:
        self.automation.call("CurrentValue", self.control)
        return self.control.value

    def SetValue(self, value: str | float) -> object:
        control = self._changes("SetValue")
        if control.read_only:
            raise FakeComError(Result.UIA_E_INVALIDOPERATION)
        if isinstance(value, str):
            control.value = value
            return None
        _, least, most, step = control.number or (0.0, 0.0, 0.0, 0.0)
        if not least <= value <= most:
            raise FakeComError(Result.E_INVALIDARG)
        control.number = (value, least, most, step)
        return None

    def ScrollIntoView(self) -> object:
        control = self._changes("ScrollIntoView")
        control.scrolled_to, control.offscreen = 1, False
        return None

    def Realize(self) -> object:
        self._changes("Realize").virtual = False
        return None

    @property
    def DocumentRange(self) -> "FakeRange":
        return FakeRange(self.automation, self.control, 0, len(self.control.document or ""))

    def GetSelection(self) -> "RangeArray":
        self.automation.call("GetSelection", self.control)
        return RangeArray([FakeRange(self.automation, self.control, *self.control.selection)])


@dataclass(slots=True)
class FakeRange:
    """Characters of a document."""

    automation: "FakeAutomation"
    control: Control
    start: int
    end: int

    def Clone(self) -> "FakeRange":
        return FakeRange(self.automation, self.control, self.start, self.end)

    def GetText(self, most: int) -> str | None:
        self.automation.call("GetText", self.control)
        found = (self.control.document or "")[self.start : self.end]
        return found if most < 0 else found[:most]

    def MoveEndpointByRange(self, endpoint: int, other: com.TextRange, others_endpoint: int) -> object:
        assert isinstance(other, FakeRange)
        self._move(endpoint, other.end if others_endpoint == Endpoint.End else other.start)
        return None

    def MoveEndpointByUnit(self, endpoint: int, unit: int, count: int) -> int:
        assert unit == TextUnit.Character
        self._move(endpoint, count + (self.end if endpoint == Endpoint.End else self.start))
        return count

    def _move(self, endpoint: int, to: int) -> None:
        to = min(to, len(self.control.document or ""))
        if endpoint == Endpoint.Start:
            self.start, self.end = to, max(self.end, to)
        else:
            self.start, self.end = min(self.start, to), to

    def Select(self) -> object:
        self.automation.call("SelectText", self.control)
        self.control.selection = (self.start, self.end)
        return None


class RangeArray:
    def __init__(self, ranges: Sequence[FakeRange]) -> None:
        self._ranges = ranges
        self.Length = len(ranges)

    def GetElement(self, index: int) -> FakeRange:
        return self._ranges[index]


class FakeAutomation:
    """Programs by the handles of their windows. `calls`: what crossed to a program, in order.

    `requested`: the controls whose texts were requested, and what was of each.
    """

    def __init__(self, *windows: Control) -> None:
        self.windows = {window.handle: window for window in windows}
        self.calls: list[str] = []
        self.requested: list[tuple[Control, set[int]]] = []
        self.ControlViewCondition: com.Condition = Holds(lambda _: True)
        self.before_read: Callable[[], object] = lambda: None

    def connection(self) -> Connection:
        return Connection(self, FakeComError, _interface)

    def controls(self) -> list[Control]:
        return [each for window in self.windows.values() for each in (window, *window.descendants())]

    def parent_of(self, control: Control) -> Control:
        return next(each for each in self.controls() if control in each.children)

    def call(self, name: str, control: Control) -> None:
        self.calls.append(name)
        if control not in self.controls():
            raise FakeComError(Result.UIA_E_ELEMENTNOTAVAILABLE)
        if control.failure is not None:
            raise FakeComError(control.failure)

    def CreateCacheRequest(self) -> Request:
        return Request()

    def CreatePropertyCondition(self, property_id: int, value: object) -> com.Condition:
        if property_id == Property.IsPassword:
            return Holds(lambda control: control.password == value)
        return Holds(lambda control: control.value_of(Property(property_id)) == value)

    def CreateAndCondition(self, one: com.Condition, other: com.Condition) -> com.Condition:
        assert isinstance(one, Holds)
        assert isinstance(other, Holds)
        return Holds(lambda control: one.of(control) and other.of(control))

    def ElementFromHandle(self, handle: int) -> FakeElement:
        return self._element("ElementFromHandle", handle, Request())

    def ElementFromHandleBuildCache(self, handle: int, request: com.CacheRequest) -> FakeElement:
        assert isinstance(request, Request)
        assert request.TreeFilter is self.ControlViewCondition
        self.before_read()
        return self._element("ElementFromHandleBuildCache", handle, request)

    def _element(self, call: str, handle: int, request: Request) -> FakeElement:
        if handle not in self.windows:
            raise FakeComError(Result.UIA_E_ELEMENTNOTAVAILABLE)
        self.call(call, self.windows[handle])
        self.requested += [(each, set(request.properties)) for each in self.controls()]
        return FakeElement(self, self.windows[handle], request)


def _interface(pattern: Pattern[T]) -> type[T]:
    return FakePattern  # pyright: ignore[reportReturnType]  # it has the members of all patterns
