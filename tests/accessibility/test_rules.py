"""Rules of accessibility on observations made up for them."""

import pytest

from deskhand.accessibility.remedies import Toolkit, remedies, toolkit_of
from deskhand.accessibility.rules import Rule, findings_of
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind, Trait

pytestmark = pytest.mark.requires("accessibility.rules")

WINDOW = TargetInfo(TargetKind.WINDOW, "Orders", Role.WINDOW, Rect(0, 0, 600, 400))
USED = frozenset({"enabled", "showing"})


def control(role: Role, name: str, left: int, top: int, *, parent: str = "", **facts: object) -> TargetInfo:
    given: dict[str, object] = {"states": USED, "actions": ("Click",), "rect": Rect(left, top, left + 80, top + 30)}
    given |= {"handle": f"{role}-{name}-{left}-{top}", "parent": parent, **facts}
    return TargetInfo(TargetKind.CONTROL, name, role, **given)  # pyright: ignore[reportArgumentType] - facts of a test


def found(*controls: TargetInfo) -> list[tuple[Rule, str]]:
    seen = Observation(WINDOW, controls, None, 0.0)
    return [(each.rule, each.control) for each in findings_of(seen)]


SAVE = control(Role.BUTTON, "Save", 10, 10)


def test_a_window_without_faults_has_no_findings() -> None:
    name = control(Role.LABEL, "Name", 10, 50)
    assert found(SAVE, name, control(Role.TEXTBOX, "Name", 100, 50), control(Role.CHECKBOX, "Bold", 10, 90)) == []


@pytest.mark.parametrize(
    ("faulty", "rule"),
    [
        (control(Role.BUTTON, "", 10, 50), Rule.NO_NAME),
        (control(Role.COMBOBOX, "", 10, 50), Rule.NO_NAME),
        (control(Role.UNKNOWN, "Add", 10, 50), Rule.NO_ROLE),
        (control(Role.BUTTON, "Add", 10, 50, actions=()), Rule.NO_ACTION),
        (control(Role.BUTTON, "Add", 10, 50, rect=Rect(0, 0, 0, 0)), Rule.WRONG_PLACE),
        (control(Role.BUTTON, "Add", 700, 50), Rule.WRONG_PLACE),
        (control(Role.BUTTON, "Save", 100, 10), Rule.EQUAL_NAMES),
        (control(Role.LABEL, "Total", 10, 50, traits=frozenset({Trait.READ_FROM_PICTURE})), Rule.TEXT_NOT_EXPOSED),
    ],
)
def test_each_fault_is_found_once(faulty: TargetInfo, rule: Rule) -> None:
    assert [each for each, _ in found(SAVE, faulty)] == [rule]


@pytest.mark.parametrize(
    ("text", "left", "top", "rule"),
    [
        ("Street", 10, 50, Rule.LABEL_NOT_RELATED),
        ("Street:", 100, 15, Rule.LABEL_NOT_RELATED),
        ("Some heading", 100, 15, Rule.NO_NAME),
    ],
)
def test_a_text_beside_a_field_without_a_name_is_its_label_and_one_above_only_with_a_colon(
    text: str, left: int, top: int, rule: Rule
) -> None:
    assert [each for each, _ in found(control(Role.LABEL, text, left, top), control(Role.TEXTBOX, "", 100, 50))] == [
        rule
    ]


def test_what_may_be_meant_so_is_not_reported() -> None:
    button = control(Role.BUTTON, "", 10, 50, actions=())
    inner = control(Role.BUTTON, "Menu", 12, 52, parent=button.handle)
    box = control(Role.COMBOBOX, "Zoom", 10, 90)
    field = control(Role.TEXTBOX, "", 10, 90, parent=box.handle)
    document = control(Role.TEXTBOX, "", 0, 0, rect=Rect(0, 100, 600, 400), states=USED | {"multi_line", "editable"})
    disabled = control(Role.BUTTON, "Undo", 10, 200, actions=(), states=frozenset({"showing"}))
    row = Fingerprint(Role.BUTTON, "Open", ("listitem:Ada", "button:Open"))
    opens = [control(Role.BUTTON, "Open", 10, top, fingerprint=row) for top in (250, 290)]
    assert found(button, inner, box, field, document, disabled, *opens) == []


def test_every_rule_has_a_remedy_that_of_the_toolkit_where_it_is_known() -> None:
    for rule in Rule:
        assert len(remedies(rule, None)) > 1
        assert [*remedies(rule, Toolkit.QT)] == ["Qt"]
    assert toolkit_of(None) is None
