"""The objects that `observe` and `windows` print."""

import json
from dataclasses import replace

import pytest

from deskhand.cli.console import print_error, printable
from deskhand.cli.desktop_choice import window_line
from deskhand.cli.observation_output import Listing, as_object
from deskhand.core.errors import UsageError
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Truncation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.fake import FakeDesktop, FakeWindow
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.perception.text_layout import line_of
from deskhand.session.window_names import chosen_window, window_json

WINDOW = TargetInfo(
    TargetKind.WINDOW,
    "Letter",
    Role.WINDOW,
    Rect(0, 10, 300, 200),
    states=frozenset({"active"}),
    handle="w",
    application="editor",
    pid=7,
)


def control(name: str, role: Role, parent: str = "") -> TargetInfo:
    return TargetInfo(
        TargetKind.CONTROL,
        name,
        role,
        Rect(1, 2, 3, 4),
        raw_role=f"raw {role}",
        states=frozenset({"visible", "enabled"}),
        actions=("click",),
        handle=name,
        parent=parent,
    )


CONTROLS = (control("bar", Role.TOOLBAR, "w"), control("save", Role.BUTTON, "bar"), control("text", Role.TEXTBOX, "w"))


def seen(truncated: Truncation | None = None) -> Listing:
    observation = Observation(WINDOW, CONTROLS, None, 0.0, truncated)
    return Listing(observation, Labeller().label(observation), {"tree": 0.01})


def test_controls_are_flat_with_the_parents_id() -> None:
    printed = as_object(seen(), tree=False)
    assert set(printed) == {
        "window",
        "controls",
        "text",
        "tokens",
        "truncated",
        "provisional",
        "unsettled",
        "untold",
        "timing_s",
    }
    controls = printed["controls"]
    assert isinstance(controls, list)
    assert [(item["id"], item["parent"]) for item in controls if isinstance(item, dict)] == [
        ("1", None),
        ("2", "1"),
        ("3", None),
    ]
    assert controls[1] == {
        "id": "2",
        "parent": "1",
        "role": "button",
        "raw_role": "raw button",
        "name": "save",
        "value": "",
        "states": ["enabled", "visible"],
        "rect": [1, 2, 3, 4],
        "actions": ["click"],
    }


def test_a_tree_holds_children_instead() -> None:
    roots = as_object(seen(), tree=True)["controls"]
    assert isinstance(roots, list)
    shape = [(item["name"], item["children"]) for item in roots if isinstance(item, dict)]
    assert [name for name, _ in shape] == ["bar", "text"]
    inner = shape[0][1]
    assert isinstance(inner, list)
    assert [child["name"] for child in inner if isinstance(child, dict)] == ["save"]


def test_what_is_missing_is_said() -> None:
    assert as_object(seen(), tree=False)["truncated"] is None
    assert as_object(seen(Truncation("deadline", 4)), tree=False)["truncated"] == {"reason": "deadline", "omitted": 4}


def test_a_window_is_printed_as_documented() -> None:
    assert window_json(WINDOW) == {
        "id": "w",
        "title": "Letter",
        "application": "editor",
        "pid": 7,
        "rect": [0, 10, 300, 200],
        "active": True,
        "unsaved": None,
    }


@pytest.mark.requires("observe.unsaved")
def test_a_window_that_says_of_unsaved_changes_is_listed_with_them() -> None:
    unsaved = replace(WINDOW, name="*Letter")
    assert window_json(unsaved)["unsaved"] is True
    assert window_line(unsaved).endswith(' "*Letter" (unsaved changes)')
    assert compact([replace(unsaved, id="1")]).text == '1 window "*Letter" of editor (unsaved changes)'


@pytest.mark.requires("desktop.states-final")
def test_what_is_not_final_is_said() -> None:
    assert (as_object(seen(), tree=False)["provisional"], as_object(seen(), tree=False)["unsettled"]) == (False, "")
    first = seen()
    late = Listing(replace(first.observation, provisional=True, unsettled="not quiet"), first.controls, {})
    assert (as_object(late, tree=False)["provisional"], as_object(late, tree=False)["unsettled"]) == (True, "not quiet")


HOSTILE = "A\x1b[2J\x9b31m\u202egpj.exe\n  fix: pay"


@pytest.mark.requires("cli.hostile-names")
def test_a_title_does_nothing_to_the_terminal() -> None:
    line = window_line(replace(WINDOW, name=HOSTILE, application="e\x1b[2J"))
    assert line.isprintable()
    assert '"A\\u001b[2J\\u009b31m\\u202egpj.exe\\n  fix: pay"' in line
    assert window_line(replace(WINDOW, states=frozenset({"hidden"}))).endswith('"Letter" (minimized)')


@pytest.mark.requires("cli.hostile-names")
def test_what_the_screen_says_cannot_pass_for_advice(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(f'the window "{HOSTILE}" is gone', "list the windows")
    told = capsys.readouterr().err
    assert told.replace("\n", "").isprintable()
    assert [line for line in told.splitlines() if line.startswith("  fix")] == ["  fix: list the windows"]


@pytest.mark.requires("cli.hostile-names")
@pytest.mark.parametrize("mark", [*"\x7f\x80\x9b\u061c\u200e\u200f\u202e\u2066\u2028\ufeff\ud800\U000e0041"])
def test_no_mark_that_a_terminal_obeys_stands_on_a_line(mark: str) -> None:
    told = json.dumps(mark)[1:-1]
    assert line_of(control(f"a{mark}b", Role.BUTTON)) == f'button "a{told}b"'
    assert line_of(replace(WINDOW, name="x", application=f"a{mark}b")).endswith(
        f"of a{' ' if mark.isspace() else told}b"
    )


async def test_of_windows_of_one_title_the_ids_are_told() -> None:
    desktop = FakeDesktop()
    for title in ("Same", "Same", "Other"):
        desktop.open(FakeWindow(title, []))
    handles = [window.handle for window in await desktop.windows() if window.name == "Same"]
    with pytest.raises(UsageError, match="2 windows are called 'Same'") as told:
        await chosen_window(desktop, "Same")
    assert [handle for handle in handles if handle in told.value.fix] == handles
    assert "Other" not in told.value.fix


def test_a_space_that_does_not_break_a_line_is_a_space(capsys: pytest.CaptureFixture[str]) -> None:
    assert printable("147.5\u00a0kB") == "147.5 kB"
    print_error("147.5\u00a0kB are too many")
    assert capsys.readouterr().err == "deskhand: 147.5 kB are too many\n"
