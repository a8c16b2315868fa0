"""From the nodes of a window's tree to targets."""

from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TEXT_CUT, TargetInfo
from deskhand.desktop.identity import recognise
from deskhand.desktop.windows.mapping import controls_of, scene_of, window_target
from deskhand.desktop.windows.win32.nodes import Node, Window

SHOWN: Final = ("enabled", "sensitive", "visible", "showing")
WINDOW: Final = window_target(Window(7, 40, 0, "Notes", "Notes", (0, 0, 300, 200), 0, True, "Notes.EXE"))
ROOT: Final = Node(key="7", parent=None, role="frame", name="Notes", states=SHOWN, rect=(0, 0, 300, 200))


def button(key: str, name: str, parent: str = "7", states: tuple[str, ...] = SHOWN) -> Node:
    return Node(key=key, parent=parent, role="push button", name=name, states=states, actions=("press", "focus"))


def controls(*nodes: Node) -> tuple[TargetInfo, ...]:
    return controls_of([ROOT, *nodes], WINDOW)


def test_a_window_has_the_name_of_its_program() -> None:
    assert (WINDOW.application, WINDOW.pid, WINDOW.rect) == ("notes", 40, Rect(0, 0, 300, 200))
    assert "active" in WINDOW.states


def test_a_minimized_window_says_so() -> None:
    window = window_target(Window(8, 40, 0, "#32770", "Find", (0, 0, 9, 9), 7, False, "notes.exe"), "7", minimized=True)
    assert (window.type, window.parent, MINIMIZED in window.states) == (Role.DIALOG, "7", True)


def test_focus_is_no_action_of_a_control() -> None:
    (save,) = controls(button("9", "Save"))
    assert (save.type, save.name, save.actions, save.parent) == (Role.BUTTON, "Save", ("press",), "")


def test_what_does_not_show_is_not_listed() -> None:
    assert controls(button("9", "Save", states=("enabled", "visible"))) == ()


def test_the_label_of_a_field_is_its_name_and_no_control() -> None:
    label = Node(key="8", parent="7", role="label", name="Name", states=SHOWN)
    field = Node(key="9", parent="7", role="entry", name="Name", text="Ada", states=(*SHOWN, "read-only"))
    (found,) = controls(label, field)
    assert (found.type, found.name, found.value) == (Role.TEXTBOX, "Name", "Ada")
    assert "read_only" in found.states


def test_a_password_has_no_value() -> None:
    (secret,) = controls(Node(key="9", parent="7", role="password text", text="", hidden=5, states=SHOWN))
    assert (secret.type, secret.value) == (Role.PASSWORD, "")


def test_a_long_text_is_cut_and_says_so() -> None:
    (text,) = controls(Node(key="9", parent="7", role="text", text="x" * 5000, states=SHOWN))
    assert (len(text.value), TEXT_CUT in text.states) == (2000, True)


def test_a_slider_has_its_number() -> None:
    (slider,) = controls(Node(key="9", parent="7", role="slider", name="Volume", value=(30, 0, 100, 1), states=SHOWN))
    assert (slider.value, slider.number) == ("30", 30.0)


def test_a_nameless_panel_is_listed_for_its_content() -> None:
    panel = Node(key="8", parent="7", role="panel", states=SHOWN)
    group, save = controls(panel, button("9", "Save", "8"))
    assert (group.type, save.parent) == (Role.GROUP, "8")
    assert controls(panel) == ()


def test_buttons_of_one_name_are_identified_by_what_is_around_them() -> None:
    def panel(number: int, name: str) -> list[Node]:
        key = str(100 * number)
        text = Node(key=f"{key}1", parent=key, role="label", name=name, states=SHOWN)
        return [Node(key=key, parent="7", role="panel", states=SHOWN), text, button(f"{key}2", "Open", key)]

    nodes = [ROOT, *panel(1, "Ada"), *panel(2, "Bob")]
    opener = next(control for control in controls_of(nodes, WINDOW) if control.handle == "2002")
    assert opener.fingerprint is not None
    assert opener.fingerprint.record == ("Bob",)
    assert recognise(opener, scene_of(nodes, WINDOW)).handle == "2002"
