"""Controls of a program that UI Automation exposes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from deskhand.desktop.windows.uia.numbers import ControlType, PatternId, Property, Result

WINDOW = 65632


@dataclass(slots=True, eq=False)
class Control:
    """A control of a program, with the state that its patterns read and change."""

    kind: ControlType
    name: str = ""
    children: "list[Control]" = field(default_factory=list["Control"])
    rect: tuple[int, int, int, int] = (10, 10, 110, 30)
    id: tuple[int, ...] | None = None
    properties: dict[Property, object] = field(default_factory=dict[Property, object])
    enabled: bool = True
    offscreen: bool = False
    focused: bool = False
    password: bool = False
    handle: int = 0
    on_invoke: Callable[[], object] | None = None
    toggled: int | None = None
    selected: bool | None = None
    expansion: int | None = None
    value: str | None = None
    read_only: bool = False
    number: tuple[float, float, float, float] | None = None
    document: str | None = None
    selection: tuple[int, int] = (0, 0)
    grid: tuple[int, int] | None = None
    cell: tuple[int, int] | None = None
    virtual: bool = False
    scrolled_to: int | None = None
    default_action: str = ""
    failure: Result | None = None
    """The result of each call of this control."""

    def find(self, name: str) -> "Control":
        return next(each for each in (self, *self.descendants()) if each.name == name)

    def descendants(self) -> "Iterable[Control]":
        for child in self.children:
            yield child
            yield from child.descendants()

    def patterns(self) -> dict[PatternId, bool]:
        return {
            PatternId.Invoke: self.on_invoke is not None,
            PatternId.Toggle: self.toggled is not None,
            PatternId.SelectionItem: self.selected is not None,
            PatternId.ExpandCollapse: self.expansion is not None,
            PatternId.Value: self.value is not None,
            PatternId.RangeValue: self.number is not None,
            PatternId.Text: self.document is not None,
            PatternId.VirtualizedItem: self.virtual,
            PatternId.ScrollItem: self.scrolled_to is not None,
            PatternId.LegacyIAccessible: bool(self.default_action),
        }

    def value_of(self, property_: Property) -> object:
        if property_ in self.properties:
            return self.properties[property_]
        name = property_.name
        if name.startswith("Is") and name.endswith("PatternAvailable"):
            pattern = name.removeprefix("Is").removesuffix("PatternAvailable")
            known = {each.name: is_there for each, is_there in self.patterns().items()}
            others = {"Grid": self.grid is not None, "GridItem": self.cell is not None}
            return {**known, **others}.get(pattern, False)
        return self._states().get(property_, _DEFAULTS.get(property_, ""))

    def _states(self) -> dict[Property, object]:
        now, least, most, step = self.number or (0.0, 0.0, 0.0, 0.0)
        return {
            Property.RuntimeId: self.id,
            Property.HasKeyboardFocus: self.focused,
            Property.IsKeyboardFocusable: self.enabled,
            Property.ToggleToggleState: 2 if self.toggled is None else self.toggled,
            Property.SelectionItemIsSelected: bool(self.selected),
            Property.ExpandCollapseExpandCollapseState: 3 if self.expansion is None else self.expansion,
            Property.ValueValue: self.value or "",
            Property.ValueIsReadOnly: self.read_only,
            Property.RangeValueValue: now,
            Property.RangeValueMinimum: least,
            Property.RangeValueMaximum: most,
            Property.RangeValueSmallChange: step,
            Property.GridRowCount: (self.grid or (0, 0))[0],
            Property.GridColumnCount: (self.grid or (0, 0))[1],
            Property.GridItemRow: (self.cell or (0, 0))[0],
            Property.GridItemColumn: (self.cell or (0, 0))[1],
            Property.LegacyIAccessibleDefaultAction: self.default_action,
        }


_DEFAULTS: dict[Property, object] = {
    Property.Orientation: 0,
    Property.WindowIsModal: False,
    Property.SelectionCanSelectMultiple: False,
    Property.SizeOfSet: 0,
    Property.ScrollVerticallyScrollable: False,
    Property.ScrollHorizontallyScrollable: False,
}


def window(*children: Control, handle: int = WINDOW, name: str = "Window") -> Control:
    """A window of a program, whose controls get an identity each."""
    root = Control(ControlType.Window, name, list(children), (0, 0, 800, 600), (42, handle), handle=handle)
    for number, each in enumerate(root.descendants()):
        each.id = each.id or (42, handle, number)
    return root
