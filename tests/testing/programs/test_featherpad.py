"""FeatherPad, a program of Qt 5."""

import re
from pathlib import Path

import pytest

from deskhand.sync import Desktop, Window
from deskhand.testing import expect

pytestmark = [pytest.mark.desktop, pytest.mark.app("featherpad")]


def test_typed_text_is_in_the_editor(app: Window) -> None:
    app.textbox().nth(0).type("alpha beta")
    expect(app.textbox().nth(0)).to_have_value("alpha beta")


def test_undo_is_offered_once_there_is_text(app: Window) -> None:
    expect(app.button("Undo")).to_be_disabled()
    app.textbox().nth(0).type("one")
    expect(app.button("Undo")).to_be_enabled()


def test_undo_takes_the_text_back(app: Window) -> None:
    app.textbox().nth(0).type("one")
    app.button("Undo").press()
    expect(app.textbox().nth(0)).to_have_value("")
    expect(app.button("Redo")).to_be_enabled()


def test_a_new_document_gets_a_tab(app: Window) -> None:
    expect(app.tab()).to_have_count(1)
    app.button("New").press()
    expect(app.tab()).to_have_count(2)


def test_the_search_minds_capitals_once_asked_to(app: Window) -> None:
    box = app.checkbox(re.compile("Match Case"))
    expect(box).to_be_unchecked()
    box.set(True)
    expect(box).to_be_checked()


def test_the_line_to_go_to_is_a_number(app: Window) -> None:
    expect(app.spinbutton()).to_be_gone()
    app.button("Jump to").press()
    expect(app.spinbutton()).to_have_value("1")


def test_the_side_pane_lists_the_documents(app: Window) -> None:
    app.button("Side-Pane").press()
    expect(app.listitem("Untitled")).to_be_selected()


def test_lines_get_numbers_once_asked_for(app: Window) -> None:
    app.menuitem("Options").press()
    app.menuitem("Line Numbers").press()
    expect(app.menuitem("Line Numbers")).to_be_checked()


def test_a_document_is_saved_under_a_name(app: Window, desktop: Desktop, tmp_path: Path) -> None:
    app.textbox().nth(0).type("to be saved")
    app.menuitem("File").press()
    app.menuitem("Save As").press()
    dialog = desktop.window("Save as")
    dialog.textbox("File name:").fill(str(tmp_path / "note.txt"))
    dialog.button("Save").press()
    expect(app).to_have_title(re.compile(r"note\.txt"))  # the dialog closes before the file is written
    assert (tmp_path / "note.txt").read_text().rstrip() == "to be saved"


def test_the_dialog_about_the_program_is_closed_again(app: Window, desktop: Desktop) -> None:
    app.menuitem("Help").press()
    app.menuitem("About").press()
    about = desktop.window("About FeatherPad")
    about.press_keys("{ESC}")
    expect(about).to_be_closed()
