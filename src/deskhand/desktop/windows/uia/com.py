"""The interfaces of UI Automation as far as they are used, with the names, arguments and results of comtypes.

A result that is a pointer may be null, which is false.
"""

from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from deskhand.desktop.windows.uia.numbers import PatternId, Property

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Rectangle(Protocol):
    """A RECT, in screen pixels."""

    left: int
    top: int
    right: int
    bottom: int


class Condition(Protocol):
    """IUIAutomationCondition."""


class CacheRequest(Protocol):
    """IUIAutomationCacheRequest."""

    TreeScope: int
    TreeFilter: Condition

    def AddProperty(self, property_id: int, /) -> object: ...


class Unknown(Protocol):
    """IUnknown."""

    def QueryInterface(self, interface: type[T], /) -> T: ...


class Element(Protocol):
    """IUIAutomationElement. What is cached was read with the element."""

    CachedControlType: int
    CachedName: str | None
    CachedIsEnabled: int
    CachedIsOffscreen: int
    CachedIsPassword: int
    CachedNativeWindowHandle: int | None
    CachedBoundingRectangle: Rectangle

    def SetFocus(self) -> object: ...
    def GetCurrentPattern(self, pattern_id: int, /) -> Unknown: ...
    def GetCachedPropertyValue(self, property_id: int, /) -> object: ...
    def GetCachedChildren(self) -> "ElementArray": ...
    def FindAllBuildCache(self, scope: int, condition: Condition, request: CacheRequest, /) -> "ElementArray": ...


class ElementArray(Protocol):
    """IUIAutomationElementArray."""

    Length: int

    def GetElement(self, index: int, /) -> Element: ...


class Automation(Protocol):
    """IUIAutomation."""

    ControlViewCondition: Condition

    def CreateCacheRequest(self) -> CacheRequest: ...
    def CreatePropertyCondition(self, property_id: int, value: object, /) -> Condition: ...
    def CreateAndCondition(self, one: Condition, other: Condition, /) -> Condition: ...
    def ElementFromHandle(self, handle: int, /) -> Element: ...
    def ElementFromHandleBuildCache(self, handle: int, request: CacheRequest, /) -> Element: ...


class InvokePattern(Protocol):
    """IUIAutomationInvokePattern."""

    def Invoke(self) -> object: ...


class TogglePattern(Protocol):
    """IUIAutomationTogglePattern."""

    def Toggle(self) -> object: ...


class SelectionItemPattern(Protocol):
    """IUIAutomationSelectionItemPattern."""

    def Select(self) -> object: ...


class ExpandCollapsePattern(Protocol):
    """IUIAutomationExpandCollapsePattern."""

    def Expand(self) -> object: ...
    def Collapse(self) -> object: ...


class ValuePattern(Protocol):
    """IUIAutomationValuePattern."""

    CurrentValue: str | None

    def SetValue(self, text: str, /) -> object: ...


class RangeValuePattern(Protocol):
    """IUIAutomationRangeValuePattern."""

    def SetValue(self, number: float, /) -> object: ...


class ScrollItemPattern(Protocol):
    """IUIAutomationScrollItemPattern."""

    def ScrollIntoView(self) -> object: ...


class VirtualizedItemPattern(Protocol):
    """IUIAutomationVirtualizedItemPattern."""

    def Realize(self) -> object: ...


class LegacyPattern(Protocol):
    """IUIAutomationLegacyIAccessiblePattern."""

    def DoDefaultAction(self) -> object: ...


class TextRange(Protocol):
    """IUIAutomationTextRange."""

    def Clone(self) -> "TextRange": ...
    def GetText(self, most: int, /) -> str | None: ...
    def MoveEndpointByRange(self, endpoint: int, other: "TextRange", others_endpoint: int, /) -> object: ...
    def MoveEndpointByUnit(self, endpoint: int, unit: int, count: int, /) -> int: ...
    def Select(self) -> object: ...


class TextRangeArray(Protocol):
    """IUIAutomationTextRangeArray."""

    Length: int

    def GetElement(self, index: int, /) -> TextRange: ...


class TextPattern(Protocol):
    """IUIAutomationTextPattern."""

    DocumentRange: TextRange

    def GetSelection(self) -> TextRangeArray: ...


@dataclass(frozen=True, slots=True)
class Pattern(Generic[T_co]):
    """A control pattern: its number, its interface, and the property by which elements have it."""

    id: PatternId
    interface: str
    available: Property


INVOKE: Final[Pattern[InvokePattern]] = Pattern(
    PatternId.Invoke, "IUIAutomationInvokePattern", Property.IsInvokePatternAvailable
)
TOGGLE: Final[Pattern[TogglePattern]] = Pattern(
    PatternId.Toggle, "IUIAutomationTogglePattern", Property.IsTogglePatternAvailable
)
SELECTION_ITEM: Final[Pattern[SelectionItemPattern]] = Pattern(
    PatternId.SelectionItem, "IUIAutomationSelectionItemPattern", Property.IsSelectionItemPatternAvailable
)
EXPAND_COLLAPSE: Final[Pattern[ExpandCollapsePattern]] = Pattern(
    PatternId.ExpandCollapse, "IUIAutomationExpandCollapsePattern", Property.IsExpandCollapsePatternAvailable
)
VALUE: Final[Pattern[ValuePattern]] = Pattern(
    PatternId.Value, "IUIAutomationValuePattern", Property.IsValuePatternAvailable
)
RANGE_VALUE: Final[Pattern[RangeValuePattern]] = Pattern(
    PatternId.RangeValue, "IUIAutomationRangeValuePattern", Property.IsRangeValuePatternAvailable
)
SCROLL_ITEM: Final[Pattern[ScrollItemPattern]] = Pattern(
    PatternId.ScrollItem, "IUIAutomationScrollItemPattern", Property.IsScrollItemPatternAvailable
)
VIRTUALIZED_ITEM: Final[Pattern[VirtualizedItemPattern]] = Pattern(
    PatternId.VirtualizedItem, "IUIAutomationVirtualizedItemPattern", Property.IsVirtualizedItemPatternAvailable
)
TEXT: Final[Pattern[TextPattern]] = Pattern(PatternId.Text, "IUIAutomationTextPattern", Property.IsTextPatternAvailable)
LEGACY: Final[Pattern[LegacyPattern]] = Pattern(
    PatternId.LegacyIAccessible,
    "IUIAutomationLegacyIAccessiblePattern",
    Property.IsLegacyIAccessiblePatternAvailable,
)


class Interfaces(Protocol):
    """The interfaces of patterns, as comtypes has them."""

    def __call__(self, pattern: Pattern[T], /) -> type[T]: ...


@dataclass(frozen=True, slots=True)
class Connection:
    """UI Automation of this process. `error`: that of a call that failed; its `hresult` is the result."""

    automation: Automation
    error: type[Exception]
    interfaces: Interfaces

    def pattern(self, element: Element, pattern: Pattern[T]) -> T | None:
        """Return a pattern of an element, None where it does not have it. A call of the program."""
        found = element.GetCurrentPattern(pattern.id)
        return found.QueryInterface(self.interfaces(pattern)) if found else None
