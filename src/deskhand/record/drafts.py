"""Steps of a recording while they are collected, and the arguments that they have in common."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.record.gestures import Press
from deskhand.record.scene import MENU_ITEMS, Scene

PASSWORD: Final = "password"  # noqa: S105 - the name of a parameter
BOXES: Final = frozenset({Role.CHECKBOX, Role.RADIO, Role.SWITCH})
NUMBERS: Final = frozenset({Role.SLIDER, Role.SPINBUTTON})
_MENUS: Final = frozenset({Role.MENU, Role.MENUITEM})
ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM, Role.TAB, Role.ROW, Role.CELL})
INVOKED: Final = frozenset({Role.BUTTON, Role.LINK, Role.MENU, *MENU_ITEMS})
FIELDS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD})
CHECKED: Final = frozenset({"checked", "pressed"})


@dataclass(frozen=True, slots=True)
class Draft:
    """One step. `before`: the scene in which its `control` was found; `note`: a doubt, for a comment.

    Without a `tool` it is none: `note` says which input was not recorded, and why.
    `is_renamed`: the step changes the name of its control, which is no good selector then.
    """

    tool: str
    window: TargetInfo
    before: Scene
    control: TargetInfo | None = None
    args: JsonObject = field(default_factory=dict[str, JsonValue])
    note: str = ""
    is_renamed: bool = False

    @property
    def sets(self) -> bool:
        """True if it sets its control to a value, so that an earlier one of the same kind is not needed."""
        return self.tool in {"set_edit_text", "set_value", "select_item"} and not self.args.get("add")

    @property
    def menus(self) -> tuple[str, ...]:
        """Names of the menus around an item of a menu, the outermost first."""
        if self.tool != "invoke" or self.control is None or self.control.type not in MENU_ITEMS:
            return ()
        around = self.before.around(self.window.handle, self.control)
        return tuple(each.name for each in reversed(around) if each.type in _MENUS and each.name)

    def is_in_menu_of(self, other: "Draft") -> bool:
        """True if an earlier step opened the menu of this item, which a playbook opens by itself."""
        opened = other.control
        if other.tool != "invoke" or opened is None or opened.type not in _MENUS or not self.menus:
            return False
        return opened.name in self.menus and other.window.handle == self.window.handle

    def replaces(self, other: "Draft") -> bool:
        """True if an earlier step is not needed before this one."""
        if not self.sets or self.tool != other.tool or self.control is None or other.control is None:
            return False
        return self.control.handle == other.control.handle and self.window.handle == other.window.handle


@dataclass(frozen=True, slots=True)
class Made:
    """Makes steps on one control."""

    window: TargetInfo
    before: Scene
    control: TargetInfo | None

    def step(self, tool: str, **args: JsonValue) -> Draft:
        return Draft(tool, self.window, self.before, self.control, args)

    def click(self, press: Press) -> Draft:
        args: JsonObject = {} if press.button == "left" else {"button": press.button.value}
        args |= {"count": press.count} if press.count > 1 else {}
        args |= {"hold": "+".join(press.held)} if press.held else {}
        return self.step("click_input", **args)

    def pressed(self, press: Press) -> Iterator[Draft]:
        """Presses of a button; plain clicks where nothing visible is known to have come of them, so that no effect is
        awaited.
        """
        is_button = self.control is not None and self.control.type is Role.BUTTON
        if press.has_effect or not is_button:
            yield from (self.step("invoke") for _ in range(press.count))
        else:
            yield self.click(press)


def is_checked(before: TargetInfo, now: TargetInfo | None, *, turns: int) -> bool:
    """State of a box after a click or key, by its observation, else by how often it was turned."""
    if now is not None:
        return bool(now.states & CHECKED)
    was = bool(before.states & CHECKED)
    return True if before.type is Role.RADIO else was if turns % 2 == 0 else not was


def differs(now: TargetInfo, before: TargetInfo) -> bool:
    """True if value, mark, choice or expansion of a control differ."""
    return now.value != before.value or bool((now.states ^ before.states) & {*CHECKED, "selected", "expanded"})


def plain_number(number: float) -> JsonValue:
    """A whole number without its point."""
    return int(number) if number == int(number) else number


def plain(text: str) -> str:
    """A text without `${…}` to fill in."""
    return text.replace("${", "$${")
