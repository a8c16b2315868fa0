"""Mousepad, a program of GTK 3."""

import re
from pathlib import Path

import pytest

from deskhand.sync import Desktop, Window
from deskhand.testing import expect

pytestmark = [pytest.mark.desktop, pytest.mark.app("mousepad")]


def test_typed_text_is_in_the_editor(app: Window) -> None:
    app.textbox().type("alpha beta")
    expect(app.textbox()).to_have_value("alpha beta")


def test_the_title_has_a_mark_for_unsaved_text(app: Window) -> None:
    expect(app).to_have_title("Untitled 1 - Mousepad")
    app.textbox().type("x")
    expect(app).to_have_title("*Untitled 1 - Mousepad")


def test_undo_takes_the_text_back(app: Window) -> None:
    app.textbox().type("one")
    app.menu("Edit").press()
    app.menuitem("Undo").press()
    expect(app.textbox()).to_have_value("")


def test_redo_is_offered_after_undo_alone(app: Window) -> None:
    app.textbox().type("one")
    app.menu("Edit").press()
    expect(app.menuitem("Redo")).to_be_disabled()
    app.menuitem("Undo").press()
    app.menu("Edit").press()
    expect(app.menuitem("Redo")).to_be_enabled()


def test_a_new_document_gets_a_tab(app: Window) -> None:
    app.menu("File").press()
    app.menuitem("New").press()
    expect(app.tab()).to_have_count(2)


def test_the_selected_text_becomes_upper_case(app: Window) -> None:
    app.textbox().type("loud")
    app.press_keys("{VK_CONTROL}a")
    app.menu("Edit").press()
    app.menu("Convert").press()
    app.menuitem("To Uppercase").press()
    expect(app.textbox()).to_have_value("LOUD")


def test_cut_text_is_pasted_twice(app: Window) -> None:
    app.textbox().type("ab")
    app.press_keys("{VK_CONTROL}a")
    app.press_keys("{VK_CONTROL}x")
    app.press_keys("{VK_CONTROL}v")
    app.press_keys("{VK_CONTROL}v")
    expect(app.textbox()).to_have_value("abab")


def test_the_search_bar_takes_a_text(app: Window) -> None:
    app.menu("Search").press()
    app.menuitem("Find").press()
    expect(app.checkbox("Match case")).to_be_unchecked()
    app.checkbox("Match case").set(True)
    expect(app.checkbox("Match case")).to_be_checked()


def test_a_document_is_saved_under_a_name(app: Window, desktop: Desktop, tmp_path: Path) -> None:
    app.textbox().type("to be saved")
    app.press_keys("{VK_CONTROL}{VK_SHIFT}s")
    dialog = desktop.window("Save As")
    dialog.textbox("Name:").fill(str(tmp_path / "note.txt"))
    dialog.button("Save").press()
    expect(app).to_have_title(re.compile(r"note\.txt"))  # the dialog closes before the file is written
    assert (tmp_path / "note.txt").read_text().rstrip() == "to be saved"


def test_the_dialog_about_the_program_is_closed_again(app: Window, desktop: Desktop) -> None:
    app.menu("Help").press()
    app.menuitem("About").press()
    about = desktop.window("About Mousepad")
    about.press_keys("{ESC}")
    expect(about).to_be_closed()
