"""Saved observations: what varies between runs is normalised, every other change is a difference."""

from pathlib import Path
from typing import Any

import pytest

from tools import golden_diff
from tools.golden_diff import Difference, compared, control_records, normalised, report, without_labels
from tools.golden_windows import APPS, groups

BUTTON = {
    "id": "7",
    "parent": None,
    "role": "button",
    "name": "Save",
    "states": ["showing", "enabled"],
    "rect": [0, 0, 9, 9],
}
BOX = {"id": "8", "parent": "7", "role": "checkbox", "name": "Bold", "states": [], "rect": [9, 0, 18, 9]}


def record(*controls: dict[str, Any], evidence: str = "reads 1") -> dict[str, Any]:
    verdict = {"effect": "confirmed", "evidence": evidence}
    return {
        "first": {"controls": control_records(controls, [], {}), "list": ['button "Save"']},
        "steps": [{"do": "invoke button", "verdict": verdict}],
    }


def test_what_varies_by_nature_is_normalised() -> None:
    seen = {
        "pid": 4711,
        "fix": "runs on as process 4711",
        "window": {"title": "/tmp/golden-1/text.odt at 127.0.0.1:8000", "id": "x11:0xe00002"},
        "evidence": 'button "Save" [12] of atspi::1.3:/org/a11y/atspi/accessible/12 after 0.25 s in x11:0xe00002',
    }
    assert normalised(seen, "/tmp/golden-1") == {
        "fix": "runs on as process <pid>",
        "window": {"title": "<folder>/text.odt at 127.0.0.1:<port>"},
        "evidence": 'button "Save" [id] of <control> after <time> in <window>',
    }


def test_labels_are_dropped_from_compact_lists_and_numbers_are_not() -> None:
    assert without_labels('1 list "2 a":\n 12 "r0" | 13 "5 x"\nand 3 more\n(not quiet within 1 s)') == [
        'list "2 a":',
        ' "r0" | "5 x"',
        "and 3 more",
    ]


def test_a_control_has_the_stored_fields_its_parent_and_its_identity() -> None:
    stored = [{"id": "8", "fingerprint": {"alike": 2}}]
    button, box = control_records([BUTTON, BOX], stored, {"8": 'checkbox "Old"'})
    assert box["fingerprint"] == {"alike": 2}
    assert box["parent"] == 'button "Save"'
    assert (button["was"], box["was"]) == ("", 'checkbox "Old"')
    assert button["states"] == ["enabled", "showing"]


def test_equal_windows_have_no_difference() -> None:
    windows = {"a": record(BUTTON, BOX)}
    assert compared(windows, windows) == []
    assert [*report([], lines=5)] == ["no differences"]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({**BUTTON, "role": "link"}, "first/controls/button \"Save\"/role: 'button' → 'link'"),
        ({**BUTTON, "rect": [0, 0, 9, 8]}, 'first/controls/button "Save"/rect: [0, 0, 9, 9] → [0, 0, 9, 8]'),
        ({**BUTTON, "states": ["enabled"]}, 'first/controls/button "Save"/states: - showing'),
        ({**BUTTON, "traits": ["toggle"]}, 'first/controls/button "Save"/traits: + toggle'),
    ],
)
def test_a_changed_field_of_a_control_is_a_difference(changed: dict[str, Any], line: str) -> None:
    found = compared({"a": record(BUTTON, BOX)}, {"a": record(changed, BOX)})
    assert line in [difference.line for difference in found]
    assert {difference.window for difference in found} == {"a"}


def test_an_added_control_is_one_difference_and_not_one_of_each_later_control() -> None:
    extra = {**BUTTON, "id": "6", "name": "New"}
    found = compared({"a": record(BUTTON, BOX)}, {"a": record(extra, BUTTON, BOX)})
    assert [difference.line for difference in found] == ['first/controls: + button "New"']


def test_another_verdict_and_a_missing_window_are_differences() -> None:
    found = compared({"a": record(), "b": record()}, {"a": record(evidence="reads 2")})
    assert [(difference.window, difference.line) for difference in found] == [
        ("a", "steps/invoke button/verdict/evidence: 'reads 1' → 'reads 2'"),
        ("b", "only in A"),
    ]


def test_ignored_fields_are_left_out() -> None:
    changed = {**BUTTON, "raw_role": "push button"}
    assert compared({"a": record(BUTTON)}, {"a": record(changed)}, ["raw_role"]) == []


def test_unstable_differences_are_counted_apart_with_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_diff, "UNSTABLE", (("swing-*", "first/*/rect", "Swing places it late"),))
    found = [Difference("swing-a", "first/x/rect", "rect"), Difference("qt-a", "first/x/rect", "a line")]
    assert [*report(found, lines=5)] == [
        "qt-a: 1 differences",
        "  a line",
        "left out, 1 differences in swing-a: Swing places it late",
        "1 differences in 1 windows",
    ]


def test_every_saved_window_has_its_own_name_and_its_fixture(tmp_path: Path) -> None:
    windows = [window for group in groups(tmp_path) for window in group.windows]
    assert len({window.name for window in windows}) == len(windows) > 70
    programs = {Path(part) for window in windows for part in window.command if part.startswith(str(APPS))}
    assert [program for program in programs if not program.exists()] == []
