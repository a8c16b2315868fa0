"""The tests of tests/testing/programs, written for dogtail 2.1: run by `tools/bench_testing.py`.

    dogtail_programs.py < NAMES

Each line of stdin is `PROGRAM test_name`; each line of stdout the result as JSON: `seconds` of the test without the
start of its program, `start` of the program, `error`. Run it with the Python of `.venv-peers` on a desktop of its own,
in a folder whose `dogtail_config.ini` has the delays. GTK 4 reports places that are no screen places, so the
calculator is pressed by its actions, as its testers do.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from dogtail import rawinput, tree

WAIT_S = 10.0


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until it holds, at most `WAIT_S`. Raises: AssertionError."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            if holds():
                return
        except Exception:  # noqa: BLE001, S110 - a node may vanish while it is read
            pass
        threading.Event().wait(0.1)
    raise AssertionError(what)


def application(pid: int) -> tree.Node:
    """Return the program, once it has a window."""
    found: list[tree.Node] = []

    def is_there() -> bool:
        found[:] = [each for each in tree.root.applications() if each.get_process_id() == pid and each.children]
        return bool(found)

    until(is_there, "the program did not appear")
    return found[0]


def press(app: tree.Node, name: str, role: str) -> None:
    """Press a control by its first action."""
    app.child(name, role_name=role).do_action(0)


def displays(app: tree.Node) -> list[tree.Node]:
    return app.find_children(lambda node: node.role_name == "text")


def shows(app: tree.Node, text: str, place: int = 0) -> None:
    until(lambda: displays(app)[place].text == text, f"the display does not have {text!r}")


class Calculator:
    program = ("gnome-calculator",)
    button = "push button"

    def test_buttons_add_two_numbers(self, app: tree.Node) -> None:
        for name in ("7", "+", "5", "="):
            press(app, f"{name} {name}", self.button)
        shows(app, "12")

    def test_a_typed_product_is_worked_out(self, app: tree.Node) -> None:
        rawinput.type_text("6*7")
        rawinput.press_key("Enter")
        shows(app, "42")

    def test_the_display_is_cleared(self, app: tree.Node) -> None:
        rawinput.type_text("123")
        app.child("GtkImage", role_name=self.button).do_action(0)
        shows(app, "")

    def test_undo_brings_the_sum_back(self, app: tree.Node) -> None:
        rawinput.type_text("8+1")
        rawinput.press_key("Enter")
        shows(app, "9")
        press(app, "Undo", self.button)
        shows(app, "8+1")

    def test_a_number_is_squared(self, app: tree.Node) -> None:
        press(app, "9 9", self.button)
        app.child("x2", role_name="label").parent.do_action(0)
        press(app, "= =", self.button)
        shows(app, "81")

    def test_a_division_by_zero_is_named(self, app: tree.Node) -> None:
        rawinput.type_text("5/0")
        rawinput.press_key("Enter")
        until(lambda: "Division by zero" in displays(app)[1].text, "no message")

    def _mode(self, app: tree.Node, name: str) -> None:
        press(app, "Basic", self.button)
        press(app, name, "radio menu item")

    def test_the_advanced_mode_has_functions(self, app: tree.Node) -> None:
        assert not app.find_children(lambda node: node.name == "sin" and node.showing)
        self._mode(app, "Advanced")
        until(lambda: app.child("sin", role_name=self.button).showing, "no sin")

    def test_the_mode_in_use_is_marked(self, app: tree.Node) -> None:
        press(app, "Basic", self.button)
        assert app.child("Basic", role_name="radio menu item").checked
        assert not app.child("Financial", role_name="radio menu item").checked

    def test_an_angle_is_in_degrees(self, app: tree.Node) -> None:
        self._mode(app, "Advanced")
        rawinput.type_text("sin(30)")
        rawinput.press_key("Enter")
        shows(app, "0.5")

    def test_the_dialog_about_the_program_is_closed_again(self, app: tree.Node) -> None:
        app.find_children(lambda node: node.name == "GtkMenuButton" and "click" in node.actions)[-1].do_action(0)
        press(app, "About Calculator", "menu item")
        until(lambda: any(each.name == "About" for each in app.children), "no dialog")
        rawinput.press_key("Escape")
        until(lambda: not any(each.name == "About" for each in app.children), "the dialog is still there")


class Editor:
    def _editor(self, app: tree.Node) -> tree.Node:
        return app.child(role_name="text")

    def _type(self, app: tree.Node, text: str) -> None:
        self._editor(app).click()
        rawinput.type_text(text)


class Mousepad(Editor):
    program = ("mousepad",)
    gap = "      "
    """Mousepad puts it after the names of the entries of its menus."""

    def _item(self, app: tree.Node, name: str) -> tree.Node:
        return app.child(name + self.gap, role_name="menu item")

    def test_typed_text_is_in_the_editor(self, app: tree.Node) -> None:
        self._type(app, "alpha beta")
        until(lambda: self._editor(app).text == "alpha beta", "the text is not there")

    def test_the_title_has_a_mark_for_unsaved_text(self, app: tree.Node) -> None:
        assert app.children[0].name == "Untitled 1 - Mousepad"
        self._type(app, "x")
        until(lambda: app.children[0].name == "*Untitled 1 - Mousepad", "no mark")

    def _menu(self, app: tree.Node, *names: str) -> None:
        for place, name in enumerate(names[:-1]):
            app.child(name if place == 0 else name + self.gap, role_name="menu").click()
        self._item(app, names[-1]).click()

    def test_undo_takes_the_text_back(self, app: tree.Node) -> None:
        self._type(app, "one")
        self._menu(app, "Edit", "Undo")
        until(lambda: self._editor(app).text == "", "the text is still there")

    def test_redo_is_offered_after_undo_alone(self, app: tree.Node) -> None:
        self._type(app, "one")
        app.child("Edit", role_name="menu").click()
        assert not self._item(app, "Redo").sensitive
        self._item(app, "Undo").click()
        app.child("Edit", role_name="menu").click()
        until(lambda: self._item(app, "Redo").sensitive, "redo is not offered")

    def test_a_new_document_gets_a_tab(self, app: tree.Node) -> None:
        self._menu(app, "File", "New")
        until(lambda: len(app.find_children(lambda node: node.role_name == "page tab")) == 2, "no second tab")

    def test_the_selected_text_becomes_upper_case(self, app: tree.Node) -> None:
        self._type(app, "loud")
        rawinput.key_combo("<Control>a")
        self._menu(app, "Edit", "Convert", "To Uppercase")
        until(lambda: self._editor(app).text == "LOUD", "it is not upper case")

    def test_cut_text_is_pasted_twice(self, app: tree.Node) -> None:
        self._type(app, "ab")
        for combo in ("<Control>a", "<Control>x", "<Control>v", "<Control>v"):
            rawinput.key_combo(combo)
        until(lambda: self._editor(app).text == "abab", "it was not pasted twice")

    def test_the_search_bar_takes_a_text(self, app: tree.Node) -> None:
        self._menu(app, "Search", "Find")
        box = app.child("Match case", role_name="check box")
        assert not box.checked
        box.click()
        until(lambda: box.checked, "it is not checked")

    def test_a_document_is_saved_under_a_name(self, app: tree.Node) -> None:
        self._type(app, "to be saved")
        rawinput.key_combo("<Control><Shift>s")
        dialog = app.child("Save As", role_name="file chooser")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "note.txt"
            dialog.child(role_name="text").text = str(path)
            dialog.child("Save", role_name="push button").click()
            until(path.exists, "no file")
            until(lambda: path.read_text().rstrip() == "to be saved", "another content")

    def test_the_dialog_about_the_program_is_closed_again(self, app: tree.Node) -> None:
        self._menu(app, "Help", "About")
        until(lambda: any(each.name == "About Mousepad" for each in app.children), "no dialog")
        rawinput.press_key("Escape")
        until(lambda: not any(each.name == "About Mousepad" for each in app.children), "the dialog is still there")


class Featherpad(Editor):
    program = ("featherpad",)

    def test_typed_text_is_in_the_editor(self, app: tree.Node) -> None:
        self._type(app, "alpha beta")
        until(lambda: self._editor(app).text == "alpha beta", "the text is not there")

    def test_undo_is_offered_once_there_is_text(self, app: tree.Node) -> None:
        assert not app.child("Undo", role_name="push button").sensitive
        self._type(app, "one")
        until(lambda: app.child("Undo", role_name="push button").sensitive, "undo is not offered")

    def test_undo_takes_the_text_back(self, app: tree.Node) -> None:
        self._type(app, "one")
        app.child("Undo", role_name="push button").click()
        until(lambda: self._editor(app).text == "", "the text is still there")
        until(lambda: app.child("Redo", role_name="push button").sensitive, "redo is not offered")

    def _tabs(self, app: tree.Node) -> int:
        return len(app.find_children(lambda node: node.role_name == "page tab"))

    def test_a_new_document_gets_a_tab(self, app: tree.Node) -> None:
        assert self._tabs(app) == 1
        app.child("New", role_name="push button").click()
        until(lambda: self._tabs(app) == 2, "no second tab")

    def test_the_search_minds_capitals_once_asked_to(self, app: tree.Node) -> None:
        box = app.child(description="Match Case (F5)", role_name="check box")
        assert not box.checked
        box.click()
        until(lambda: box.checked, "it is not checked")

    def test_the_line_to_go_to_is_a_number(self, app: tree.Node) -> None:
        assert not app.find_children(lambda node: node.role_name == "spin button" and node.showing)
        app.child("Jump to", role_name="push button").click()
        until(lambda: app.child(role_name="spin button").value == 1, "no number")

    def test_the_side_pane_lists_the_documents(self, app: tree.Node) -> None:
        app.child("Side-Pane", role_name="push button").click()
        until(lambda: app.child("Untitled", role_name="list item").selected, "it is not selected")

    def test_lines_get_numbers_once_asked_for(self, app: tree.Node) -> None:
        app.child("Options", role_name="menu item").click()
        app.child("Line Numbers", role_name="menu item").click()
        app.child("Options", role_name="menu item").click()
        until(lambda: app.child("Line Numbers", role_name="menu item").checked, "it is not checked")

    def test_a_document_is_saved_under_a_name(self, app: tree.Node) -> None:
        self._type(app, "to be saved")
        app.child("File", role_name="menu item").click()
        app.child("Save As", role_name="menu item").click()
        dialog = app.child("Save as...", role_name="dialog")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "note.txt"
            dialog.child("File name:", role_name="text").text = str(path)
            dialog.child("Save", role_name="push button").click()
            until(path.exists, "no file")
            until(lambda: path.read_text().rstrip() == "to be saved", "another content")

    def test_the_dialog_about_the_program_is_closed_again(self, app: tree.Node) -> None:
        app.child("Help", role_name="menu item").click()
        app.child("About", role_name="menu item").click()
        until(lambda: any(each.name == "About FeatherPad" for each in app.children), "no dialog")
        rawinput.press_key("Escape")
        until(lambda: not any(each.name == "About FeatherPad" for each in app.children), "the dialog is still there")


PROGRAMS = {"calculator": Calculator, "mousepad": Mousepad, "featherpad": Featherpad}


def run(program: str, test: str) -> dict[str, object]:
    """Start the program, carry out one test, and end the program."""
    suite = PROGRAMS[program]()
    began = time.monotonic()
    process = subprocess.Popen(suite.program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    error = ""
    started = began
    try:
        app = application(process.pid)
        started = time.monotonic()
        getattr(suite, test)(app)
    except Exception as failure:  # noqa: BLE001 - of the test
        error = f"{type(failure).__name__}: {failure}"[:200]
    ended = time.monotonic()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return {"seconds": ended - started, "start": started - began, "error": error}


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(*line.split())) + "\n")
        sys.stdout.flush()


main()
