"""Caret, selection and page in the list of controls."""

from dataclasses import replace

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind, TextCaret
from deskhand.perception.compact import compact
from deskhand.perception.delta import delta
from deskhand.perception.text_layout import line_of

FIELD = TargetInfo(
    TargetKind.CONTROL, "Notes", Role.TEXTBOX, id="7", value="one two\nthree", states=frozenset({"focused"})
)


def paragraph(number: int, text: str, caret: TextCaret | None = None, *states: str) -> TargetInfo:
    return TargetInfo(
        TargetKind.CONTROL,
        "",
        Role.PARAGRAPH,
        id=str(number),
        value=text,
        states=frozenset(states),
        handle=f"p{number}",
        parent="document",
        caret=caret,
    )


def document(page: str) -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, "letter", Role.DOCUMENT, id="1", handle="document", note=page)


@pytest.mark.requires("observe.caret")
@pytest.mark.parametrize(
    ("caret", "states"),
    [
        (None, "focused"),
        (TextCaret(), "focused, caret at start"),
        (TextCaret(line=2), "focused, caret at start of line 2"),
        (TextCaret("three", 2, at_end=True), "focused, caret at end"),
        (TextCaret("one", 1), 'focused, caret in line 1 after "one"'),
        (TextCaret("…of the last words", 12), 'focused, caret in line 12 after "…of the last words"'),
        (TextCaret(selected="two"), 'focused, selected "two"'),
        (TextCaret("one ", 1, selected="two\nth"), 'focused, selected in line 1 "two\\nth"'),
        (TextCaret(selected="one two\nthree", is_whole=True), "focused, all selected"),
        (TextCaret(selected="a" * 50 + "b" * 50), f'focused, selected "{"a" * 30}" …40… "{"b" * 30}"'),
    ],
)
def test_the_line_of_a_text_has_its_caret_or_the_selected_text(caret: TextCaret | None, states: str) -> None:
    assert line_of(replace(FIELD, caret=caret)) == f'7 textbox "Notes" = "one two\\nthree" ({states})'


@pytest.mark.requires("observe.caret")
def test_a_part_of_a_paragraph_is_selected_once() -> None:
    part = paragraph(2, "Dear Ada,", TextCaret("Dear ", selected="Ada"), "focused", "selected")
    assert compact([document("caret on page 1 of 1"), part]).text.splitlines() == [
        '1 document "letter" (caret on page 1 of 1):',
        ' 2 paragraph = "Dear Ada," (focused, selected "Ada")',
    ]


@pytest.mark.requires("observe.caret")
def test_several_selected_paragraphs_are_one_note_on_the_line_of_their_document() -> None:
    texts = [
        paragraph(2, "First one.", TextCaret("First ", selected="one."), "selected"),
        paragraph(3, "Second.", TextCaret(selected="Second.", is_whole=True), "selected"),
        paragraph(4, "Third one.", TextCaret(selected="Third"), "selected", "focused"),
    ]
    assert compact([document("caret on page 2 of 9"), *texts]).text.splitlines() == [
        '1 document "letter" (caret on page 2 of 9) (selected in view: 3 paragraphs, "one.\\nSecond.\\nThird"):',
        ' 2 paragraph = "First one."',
        ' 3 paragraph = "Second."',
        ' 4 paragraph = "Third one." (focused)',
    ]


@pytest.mark.requires("observe.caret")
@pytest.mark.parametrize(
    ("shown", "listed"),
    [("Page 2 of 9", False), ("Seite 2 von 9", False), ("Page 3 of 9", True), ("2 words, 9 characters, 1", True)],
)
def test_a_status_bar_is_listed_where_it_has_another_page_than_the_document(shown: str, listed: bool) -> None:
    print_ = Fingerprint(Role.LABEL, "", ("status#0", "label#0"))
    label = TargetInfo(TargetKind.CONTROL, "", Role.LABEL, id="5", value=shown, handle="l", fingerprint=print_)
    text = compact([document("caret on page 2 of 9"), label]).text
    assert (shown in text) is listed
    assert (shown in compact([document('slide 2 of 9: "Year 2026"'), label]).text) is listed, "a title is no number"
    assert shown in compact([document(""), label]).text


@pytest.mark.requires("observe.caret")
def test_a_caret_that_moved_is_a_change_and_is_no_other_control() -> None:
    before, after = (replace(FIELD, caret=TextCaret(words, 1)) for words in ("one", "one two"))
    assert before == after
    assert delta([before], [after]).text == (
        '~ 7 textbox "Notes" = "one two\\nthree" (focused, caret in line 1 after "one two")'
    )
    assert delta([before], [before]).text == ""
