"""Numbers and members that are used, against those that the type library of Windows declares."""

import inspect
import tomllib
from enum import IntEnum
from pathlib import Path
from typing import Final

import pytest

from deskhand.desktop.windows.uia import com, connection, numbers

pytestmark = pytest.mark.requires("windows.uia-read")
_LIBRARY: Final = tomllib.loads((Path(__file__).parent / "type_library.toml").read_text("utf-8"))
_FORMS: Final[dict[type[IntEnum], str]] = {
    numbers.Property: "UIA_{}PropertyId",
    numbers.PatternId: "UIA_{}PatternId",
    numbers.ControlType: "UIA_{}ControlTypeId",
    numbers.TreeScope: "TreeScope_{}",
    numbers.ToggleState: "ToggleState_{}",
    numbers.ExpandCollapseState: "ExpandCollapseState_{}",
    numbers.OrientationType: "OrientationType_{}",
    numbers.Endpoint: "TextPatternRangeEndpoint_{}",
    numbers.TextUnit: "TextUnit_{}",
    numbers.Result: "{}",
}
_OTHERS: Final = frozenset({com.Rectangle, com.Unknown, com.Condition, com.Interfaces})
"""A structure, interfaces without members of their own, and one that is no interface."""


def _interfaces() -> dict[type, str]:
    """Each interface that is declared, and its name in the type library."""
    declared = [
        each
        for module in (com, connection)
        for each in vars(module).values()
        if inspect.isclass(each) and getattr(each, "_is_protocol", False) and each.__module__ == module.__name__
    ]
    return {each: (inspect.getdoc(each) or "").partition(".")[0] for each in declared if each not in _OTHERS}


@pytest.mark.parametrize("kind", _FORMS, ids=lambda kind: kind.__name__)
def test_each_number_is_that_of_the_type_library(kind: type[IntEnum]) -> None:
    declared = {each.name: _LIBRARY["numbers"][_FORMS[kind].format(each.name)] for each in kind}
    assert {each.name: each.value for each in kind} == declared


def test_no_number_lacks_its_comparison() -> None:
    kinds = {each for each in vars(numbers).values() if inspect.isclass(each) and each.__module__ == numbers.__name__}
    assert kinds == set(_FORMS)


@pytest.mark.parametrize(("interface", "name"), _interfaces().items(), ids=str)
def test_each_member_is_one_of_its_interface(interface: type, name: str) -> None:
    functions = {each for each, value in vars(interface).items() if inspect.isfunction(value) and each[0].isupper()}
    used = functions | set(inspect.get_annotations(interface))
    assert used
    assert used <= set(_LIBRARY["members"][name])


def test_each_pattern_has_the_interface_and_the_property_of_its_name() -> None:
    patterns: list[com.Pattern[object]] = [each for each in vars(com).values() if isinstance(each, com.Pattern)]
    assert len(patterns) == len(numbers.PatternId)
    for each in patterns:
        assert each.interface == f"IUIAutomation{each.id.name}Pattern"
        assert each.available.name == f"Is{each.id.name}PatternAvailable"
        assert each.interface in _LIBRARY["members"]
