"""The selector of a control in an exported playbook: as little as identifies it, of that which stays."""

from dataclasses import replace

import pytest

from deskhand.commands.secret_texts import Hiding
from deskhand.core.events import DocumentOpened, TargetData
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.report.playbook_step import Seen, SessionTexts, selector_of
from deskhand.report.stable_names import StableNames

pytestmark = pytest.mark.requires("playbook.export-selectors")

WINDOW = TargetInfo(TargetKind.WINDOW, "Form", Role.WINDOW, handle="w")
DIALOG = TargetInfo(TargetKind.WINDOW, "Save As", Role.DIALOG, handle="w")


def control(role: Role, name: str = "", handle: str = "1", parent: str = "w", row: int = 0) -> TargetInfo:
    states = frozenset({"enabled"})
    return TargetInfo(
        TargetKind.CONTROL, name, role, Rect(0, row, 10, row + 10), states=states, handle=handle, parent=parent
    )


def selector(target: TargetInfo, *others: TargetInfo, window: TargetInfo = WINDOW) -> JsonObject:
    opened = DocumentOpened(path="/a/report.odt", copy_path="/b/report.odt")
    texts = SessionTexts(Hiding([]), StableNames.of([opened]))
    data = TargetData(role=target.type.value, name=target.name, rect=target.rect.to_list())
    return selector_of(data, Seen(window, (*others, target)), texts)


TWIN = control(Role.BUTTON, "Add", "b1", "g1", row=20)


def test_role_and_name_are_enough_where_no_other_control_has_them() -> None:
    assert selector(control(Role.BUTTON, "Add")) == {"role": "button", "name": "Add"}


def test_a_twin_is_told_by_the_nearest_ancestor_that_differs() -> None:
    groups = [control(Role.GROUP, name, handle) for name, handle in (("Orders", "g1"), ("People", "g2"))]
    other = control(Role.BUTTON, "Add", "b2", "g2", row=40)
    assert selector(TWIN, *groups, other) == {
        "role": "button",
        "name": "Add",
        "within": {"role": "group", "name": "Orders"},
    }
    bar, page = control(Role.TOOLBAR, "", "g1"), control(Role.TABPANEL, "", "g2")
    assert selector(TWIN, bar, page, other)["within"] == {"role": "toolbar"}


def test_a_twin_beside_another_is_told_by_its_number() -> None:
    group = control(Role.GROUP, "Orders", "g1")
    other = control(Role.BUTTON, "Add", "b0", "g1")
    assert selector(TWIN, group, other) == {"role": "button", "name": "Add", "nth": 2}


def test_a_control_of_a_dialog_is_looked_for_in_the_dialog() -> None:
    button = control(Role.BUTTON, "Save")
    assert selector(button, window=DIALOG)["within"] == {"role": "dialog", "name": "Save As"}
    about = replace(DIALOG, name="report.odt")
    assert selector(button, window=about)["within"] == {"role": "dialog"}
    inner = control(Role.DIALOG, "Rename", "d")
    assert selector(control(Role.BUTTON, "OK", parent="d"), inner)["within"] == {"role": "dialog", "name": "Rename"}


def test_a_twin_in_a_dialog_keeps_the_dialog_around_its_ancestor() -> None:
    groups = [control(Role.GROUP, name, handle) for name, handle in (("Orders", "g1"), ("People", "g2"))]
    other = control(Role.BUTTON, "Add", "b2", "g2", row=40)
    around: JsonObject = {"role": "group", "name": "Orders", "within": {"role": "dialog", "name": "Save As"}}
    assert selector(TWIN, *groups, other, window=DIALOG)["within"] == around


def test_the_only_table_needs_no_name_and_one_of_several_has_it() -> None:
    table, other = control(Role.TABLE, "Sales"), control(Role.TABLE, "Costs", "2", row=20)
    assert selector(table) == {"role": "table"}
    assert selector(table, other) == {"role": "table", "name": "Sales"}
    document = replace(control(Role.DOCUMENT, "", "3"), states=frozenset({"enabled", "other_pages_unlisted"}))
    assert selector(table, document) == {"role": "table", "name": "Sales"}


def test_a_name_without_the_documents_is_taken_only_where_it_is_enough() -> None:
    tab = control(Role.TAB, "report.odt - Text")
    assert selector(tab) == {"role": "tab", "name": "/Text$/"}
    other = control(Role.TAB, "letter.odt - Text", "2", row=20)
    assert selector(tab, other) == {"role": "tab", "name": "report.odt - Text"}
    assert selector(control(Role.TAB, "report.odt")) == {"role": "tab", "name": "report.odt"}
