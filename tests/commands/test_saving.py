"""Saving is judged by the file that the window shows, and by nothing that shows in the window."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from commands.bench import Bench
from deskhand.core.command import Effect, Result
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.input import Chord

pytestmark = pytest.mark.requires("effect.saved")


class Editor:
    """An editor with a file in it; `saves` is what its Save does."""

    def __init__(self, path: Path, traits: frozenset[Trait] = NO_TRAITS, *, unsaved: bool = False) -> None:
        self.path = path
        path.write_text("old")
        self.desktop = FakeDesktop()
        self.saves: Callable[[], None] = lambda: None
        self.status = FakeControl(Role.STATUS, "Ready")
        self.button = FakeControl(Role.BUTTON, "_Save", on_click=self._save)
        self.text = FakeControl(Role.TEXTBOX, "Text", on_key=self._key)
        self.title = f"{path.name} - Editor"
        controls = [self.button, self.text, self.status]
        window = FakeWindow(f"{'*' * unsaved}{self.title}", controls, "office", focused=self.text, traits=traits)
        self.window = self.desktop.open(window)
        self.bench = Bench(self.desktop, self.window)

    def _save(self) -> None:
        self.saves()
        self.desktop.touch()

    def _key(self, chord: Chord) -> bool:
        if chord != Chord("s", ("ctrl",)):
            return False
        self._save()
        return True

    async def keys(self, keys: str = "{VK_CONTROL}s", *, known: bool = True) -> Result:
        if known:
            self.desktop.note_file(await self.bench.root(), self.path)
        return await self.bench.run("keyboard_input", keys=keys)

    async def press(self) -> Result:
        self.desktop.note_file(await self.bench.root(), self.path)
        return await self.bench.run("invoke", self.button)

    def fill(self, text: str) -> None:
        self.path.write_text(text)

    def write(self) -> None:
        self.fill("new text")
        self.window.title = self.title

    def show(self, text: str) -> None:
        """Something changes in the window, as while it saves."""
        self.status.name = text

    def ask(self, title: str, text: str, *controls: FakeControl) -> None:
        shown = [FakeControl(Role.LABEL, text), *controls]
        self.desktop.open(FakeWindow(title, shown, "office", dialog=True, owner=self.window))


async def test_what_saves_is_confirmed_by_the_file_that_was_written(tmp_path: Path) -> None:
    for run in (Editor.keys, Editor.press):
        it = Editor(tmp_path / "letter.odt", unsaved=True)
        it.saves = it.write
        result = await run(it)
        assert (result.effect, result.evidence) == (Effect.CONFIRMED, "letter.odt was written (8 bytes)")


async def test_a_file_that_was_written_confirms_nothing_where_it_is_empty_or_the_window_says_otherwise(
    tmp_path: Path,
) -> None:
    it = Editor(tmp_path / "letter.odt")
    it.saves = partial(it.fill, "")
    result = await it.keys()
    told = "letter.odt was written and is empty: check whether that is intended, or the disk is full"
    assert (result.effect, result.evidence) == (Effect.UNVERIFIABLE, told)
    it = Editor(tmp_path / "letter.odt", unsaved=True)
    it.saves = partial(it.fill, "by somebody else")
    result = await it.keys()
    told = "letter.odt was written (16 bytes), and its window still shows unsaved changes"
    assert (result.effect, result.evidence) == (Effect.UNVERIFIABLE, told)
    it = Editor(tmp_path / "letter.odt")

    def fail() -> None:
        it.fill("a part")
        it.ask("Error", "No space left on device", FakeControl(Role.BUTTON, "Close"))

    it.saves = fail
    result = await it.keys()
    assert result.effect is Effect.PARTIAL
    assert "No space left on device" in result.evidence


async def test_a_file_of_another_folder_confirms_nothing_and_neither_does_what_shows(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    namesake = tmp_path / "elsewhere/letter.odt"
    for run in (Editor.keys, Editor.press):
        it = Editor(tmp_path / "letter.odt", unsaved=True)

        def saves(it: Editor = it) -> None:
            namesake.write_text("by somebody else")
            it.show("Saved")

        it.saves = saves
        result = await run(it)
        assert result.effect is Effect.PARTIAL, result
        assert result.evidence == "letter.odt was not written; its window still shows unsaved changes"


async def test_a_file_that_is_still_open_for_writing_is_waited_for(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.odt")

    def begin() -> None:
        it.path.write_text("a part")
        it.desktop.files_being_written.add(it.path)

    def end() -> None:
        it.path.write_text("the whole of it")
        it.desktop.files_being_written.clear()

    it.saves = begin
    it.desktop.faults.before("windows", end, on_call=20)
    result = await it.keys()
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, "letter.odt was written (15 bytes)")
    it.saves = begin
    never = await it.keys()
    assert (never.effect, never.evidence) == (Effect.UNVERIFIABLE, "letter.odt is still being written")


async def test_a_file_that_its_program_keeps_open_is_written_once_it_stays_as_it_is(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.odt")
    it.desktop.files_being_written.add(it.path)
    it.saves = it.path.unlink
    it.desktop.faults.before("windows", partial(it.fill, "a part"), on_call=20)
    it.desktop.faults.before("windows", partial(it.fill, "the whole of it"), on_call=25)
    result = await it.keys()
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, "letter.odt was written (15 bytes)")


async def test_that_there_was_nothing_to_save_is_said_only_where_it_is_known(tmp_path: Path) -> None:
    known = await Editor(tmp_path / "notes.txt", frozenset({Trait.MARKS_UNSAVED})).keys()
    assert (known.effect, known.evidence.startswith("nothing to save: notes.txt")) == (Effect.CONFIRMED, True)
    disabled = Editor(tmp_path / "notes.txt")
    disabled.button.states.add("disabled")
    assert (await disabled.keys()).effect is Effect.CONFIRMED
    guessed = await Editor(tmp_path / "notes.txt").keys()
    told = "notes.txt was not written; whether there was anything to save is not known"
    assert (guessed.effect, guessed.evidence) == (Effect.UNVERIFIABLE, told)


async def test_a_program_that_is_still_at_work_has_not_failed_to_save(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.odt")
    it.desktop.faults.never_settles = True
    result = await it.keys()
    told = "letter.odt was not written, and its program is still at work"
    assert (result.effect, result.evidence, result.retry_safe) == (Effect.UNVERIFIABLE, told, False)


async def test_a_question_in_place_of_saving_is_named(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.docx")
    it.saves = lambda: it.ask("Keep Current Format?", "This document may contain formatting.")
    result = await it.keys()
    assert result.effect is Effect.PARTIAL
    told = 'letter.docx is not saved yet: dialog "Keep Current Format?" shows: This document may contain formatting.'
    assert result.evidence.startswith(told)


async def test_a_message_that_comes_up_in_the_window_is_named_and_leaves_nothing_to_be_called_saved(
    tmp_path: Path,
) -> None:
    it = Editor(tmp_path / "notes.txt", frozenset({Trait.MARKS_UNSAVED}))
    it.saves = lambda: it.window.controls.append(FakeControl(Role.LABEL, "Could not save the file."))
    result = await it.keys()
    told = "notes.txt was not written; its window shows: Could not save the file."
    assert (result.effect, result.evidence) == (Effect.UNVERIFIABLE, told)


async def test_where_the_file_is_not_known_nothing_that_shows_says_that_it_was_saved(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.odt")
    it.saves = lambda: (it.write(), it.show("Saved"))[0]
    result = await it.keys(known=False)
    assert result.effect is Effect.UNVERIFIABLE
    assert 'whether anything was saved is not known: no file that "letter.odt - Editor" names' in result.evidence


async def test_where_the_file_is_not_known_the_dialog_for_its_name_and_the_mark_of_its_title_count(
    tmp_path: Path,
) -> None:
    new = Editor(tmp_path / "letter.odt")
    new.window.title = "Untitled 1"
    new.saves = lambda: new.ask("Save As", "Name:", FakeControl(Role.TEXTBOX, "Name", states={"editable"}))
    result = await new.keys(known=False)
    told = 'dialog "Save As" asks for a name, and nothing is saved before it has one'
    assert (result.effect, result.evidence) == (Effect.UNVERIFIABLE, told)
    old = Editor(tmp_path / "letter.odt")
    old.saves = lambda: old.ask("Keep Current Format?", "This document may contain formatting.")
    result = await old.keys(known=False)
    assert (result.effect, result.evidence.startswith("nothing is saved yet: dialog")) == (Effect.PARTIAL, True)
    marked = Editor(tmp_path / "letter.odt", unsaved=True)
    marked.saves = marked.write
    result = await marked.keys(known=False)
    told = '"letter.odt - Editor" shows no unsaved changes any more'
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, told)


async def test_a_text_and_the_key_that_saves_it_are_confirmed_only_together(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.odt")
    it.saves = it.write
    both = await it.keys("words{VK_CONTROL}s")
    assert (both.effect, "letter.odt was written (8 bytes)" in both.evidence) == (Effect.CONFIRMED, True), both
    it.saves = lambda: None
    text = await it.keys("more words{VK_CONTROL}s")
    assert (text.effect, "letter.odt was not written" in text.evidence) == (Effect.UNVERIFIABLE, True), text


async def test_a_button_of_any_name_is_confirmed_by_the_file_where_nothing_else_shows(tmp_path: Path) -> None:
    it = Editor(tmp_path / "brief.odt")
    it.button.name, it.saves = "Speichern", it.write
    result = await it.press()
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, "brief.odt was written (8 bytes)")


async def test_the_answer_to_a_question_is_confirmed_by_the_file_too(tmp_path: Path) -> None:
    it = Editor(tmp_path / "letter.docx")
    it.desktop.note_file(await it.bench.root(), it.path)
    keep = FakeControl(Role.BUTTON, "Use Word 2007 Format!")
    dialog = FakeWindow("Confirm File Format", [keep], "office", dialog=True, owner=it.window)
    keep.on_click = lambda: (it.write(), it.desktop.close_window(dialog))[0]
    it.desktop.open(dialog)
    result = await it.bench.run("invoke", keep)
    told = 'the window "Confirm File Format" closed; letter.docx was written (8 bytes)'
    assert (result.effect, result.evidence) == (Effect.CONFIRMED, told)


async def test_the_button_of_a_file_dialog_is_confirmed_by_the_file_whose_path_was_typed(tmp_path: Path) -> None:
    it, path = Editor(tmp_path / "old.odt"), tmp_path / "new.odt"
    save = FakeControl(Role.BUTTON, "Save")
    dialog = FakeWindow(
        "Save As", [FakeControl(Role.TEXTBOX, "Name", str(path)), save], "office", dialog=True, owner=it.window
    )

    def saves() -> None:
        path.write_text("new")
        it.window.title = "new.odt - Editor"
        it.desktop.close_window(dialog)

    save.on_click = saves
    it.desktop.open(dialog)
    result = await it.bench.run("invoke", save)
    assert (result.effect, result.evidence.endswith("; new.odt was written (3 bytes)")) == (Effect.CONFIRMED, True)
    assert it.desktop.file_of(await it.bench.root()).path == path, "from now on it is the one that is open"
