"""Texts of documents are read without deleted words and marks; what was confirmed is in the saved file."""

import logging
import random
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.confirmed_texts import WORDS, Tally, chance, trials
from desktop.linux.deceiving import Tools
from desktop.linux.office import office_desktop
from desktop.linux.test_office import WRITER
from desktop.linux.test_office_tools import Document, document
from documents import Pieces, Text, accepted, read_odt, write_controls_docx, write_odt, write_tracked_odt

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("effect.about")]

ROWS, COLUMNS, PARAGRAPHS, BOXES = 6, 3, 6, 6
"""Of one document: some thirty texts, each a case."""

STYLES: Final = ("Heading 1", "Heading 2", "Title", "Text Body", "Quotations")


@pytest.fixture(scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with office_desktop(tmp_path_factory.mktemp("office")) as desktop:
        yield desktop


def pieces(rng: random.Random, *kinds: str) -> Pieces:
    """A text in up to four pieces, some of them of these kinds; numbers and words, also of more than 16 bits."""
    words = (*WORDS[:8], "100", "120", "4", "😀 1", "été")
    return [(rng.choice(("", *kinds)), rng.choice(words)) for _ in range(rng.randint(1, 4))]


async def seen_texts(document: Document) -> dict[str, TargetInfo]:
    """The paragraphs outside of the table, by their places."""
    seen = await document.see(document.window)
    found = [each for each in seen.controls if each.type is Role.PARAGRAPH and not each.name]
    return {str(number): replace(each, id="1") for number, each in enumerate(found)}


@pytest.mark.full("test_exact_text has deleted words without an office")
async def test_texts_with_tracked_changes_are_read_and_set_as_if_accepted(office: LinuxDesktop, tmp_path: Path) -> None:
    tools, cases, wrong, tally = Tools(office), 0, list[str](), Tally("tracked changes")
    for number in range(max(1, trials(1) // (ROWS * COLUMNS + PARAGRAPHS))):
        rng = chance(tally.kind, number)
        rows = [[pieces(rng, "insertion", "deletion") for _ in range(COLUMNS)] for _ in range(ROWS)]
        texts = [[("", f"{place}: "), *pieces(rng, "insertion", "deletion")] for place in range(PARAGRAPHS)]
        file = write_tracked_odt(tmp_path / f"{number}.odt", texts, rows)
        async with document(office, WRITER, file) as it:
            paragraphs = await seen_texts(it)
            read = await tools.run(it.window, "read_table", await tools.find(it.window, "Table1", Role.TABLE))
            right = [[accepted(cell) for cell in row] for row in rows]
            cases += ROWS * COLUMNS + PARAGRAPHS
            wrong += [f"{read.result} for {right}"] if dict(pairs_of(read.result))["cells"] != right else []
            assert "tracked changes: deleted words are left out" in read.evidence
            for place, given in enumerate(texts):
                shown = paragraphs[str(place)]
                whole = dict(pairs_of((await tools.run(it.window, "texts", shown)).result))["text"]
                wrong += (
                    [f"{shown.value!r}, {whole!r} for {given}"] if {shown.value, whole} != {accepted(given)} else []
                )
            text = rng.choice(WORDS)
            result = await tools.run(it.window, "set_edit_text", paragraphs["0"], text=text)
            await it.saved()
        tally.add(text, result, lambda text=text, file=file: text in [each.text for each in read_odt(file)])
    logging.info("%s; %d texts read, %d wrong", tally, cases, len(wrong))
    assert wrong + tally.wrong() == []


@pytest.mark.full("such documents are rare")
async def test_marks_of_content_controls_are_not_read_and_a_text_with_them_is_not_replaced(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    tools, cases, wrong = Tools(office), 0, list[str]()
    for number in range(max(1, trials(1) // BOXES)):
        rng = chance("content controls", number)
        texts = [[("", f"{place}: "), *pieces(rng, "control")] for place in range(BOXES)]
        file = write_controls_docx(tmp_path / f"{number}.docx", texts)
        async with document(office, WRITER, file) as it:
            paragraphs = await seen_texts(it)
            cases += BOXES
            for place, given in enumerate(texts):
                shown, whole = paragraphs[str(place)], "".join(text for _, text in given)
                read = dict(pairs_of((await tools.run(it.window, "texts", shown)).result))["text"]
                wrong += [f"{shown.value!r}, {read!r} for {given}"] if {shown.value, read} != {whole} else []
                if place < 2:
                    result = await tools.run(it.window, "set_edit_text", shown, text="new")
                    has_control = any(kind for kind, _ in given)
                    wrong += [f"{result}, {given}"] if (result.effect is Effect.REFUSED) is not has_control else []
    logging.info("content controls: %d texts, %d wrong", cases, len(wrong))
    assert wrong == []


@pytest.mark.full("commands/test_confirmed has boxes that act on Enter")
async def test_boxes_that_act_on_enter_are_confirmed_only_by_what_they_apply(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    tools, tally = Tools(office), Tally("boxes that act on Enter")
    for number in range(max(1, trials(3) // BOXES)):
        file = write_odt(tmp_path / f"{number}.odt", *(Text(f"Text {place}") for place in range(BOXES)))
        async with document(office, WRITER, file) as it:
            for place in range(min(BOXES, trials(3))):
                rng = chance(tally.kind, number * BOXES + place)
                paragraph = next(p for p in (await seen_texts(it)).values() if p.value == f"Text {place}")
                await tools.run(it.window, "click_input", paragraph)
                of_style = rng.random() < 0.5
                text = rng.choice(STYLES) if of_style else rng.choice(("9", "18", "24"))
                if not of_style:
                    await tools.run(it.window, "keyboard_input", None, keys="{HOME}{VK_SHIFT}{END}")
                seen = await it.see(it.window)
                boxes = [each for each in seen.controls if each.type is Role.TEXTBOX and _is_in_bar(each)]
                box = replace(boxes[0 if of_style else 2], id="1")
                keys, tool = f"{{VK_CONTROL}}a{text}{{ENTER}}", rng.choice(("set_edit_text", "keyboard_input"))
                arguments: dict[str, JsonValue] = {"text": text} if tool == "set_edit_text" else {"keys": keys}
                result = await tools.run(it.window, tool, box, **arguments)
                await tools.run(it.window, "keyboard_input", None, keys="{ESC}")

                def holds(name: str = f"Text {place}", text: str = text, file: Path = file) -> bool:
                    found = next(each for each in read_odt(file) if each.text == name)
                    return text.casefold() in {found.style.casefold(), found.size}

                tally.add(f"{tool} {text} for Text {place}", result, holds)
            await it.saved()
    logging.info("%s", tally)
    for each in tally.missed():
        logging.info("not confirmed: %s", each)
    assert tally.wrong() == []


def _is_in_bar(control: TargetInfo) -> bool:
    return control.fingerprint is not None and Role.TOOLBAR in control.fingerprint.roles_around
