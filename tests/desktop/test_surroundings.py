"""Which texts tell a control from others of its name."""

from collections.abc import Mapping

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.surroundings import Element, Surroundings


def element(
    key: str, parent: str | None, role: Role, name: str = "", place: tuple[int, int] | None = None, text: str = ""
) -> Element[str]:
    rect = Rect.from_extents(place[0], place[1], 10, 10) if place else Rect(0, 0, 0, 0)
    return Element(key, parent, role, name, text, rect)


def records(*elements: Element[str]) -> Mapping[str, tuple[str, ...]]:
    return Surroundings(elements).records([(e.key, e.role, e.name) for e in elements if e.role is not Role.GENERIC])


WINDOW = element("w", None, Role.WINDOW, "Window")


def row(number: int, name: str, role: Role = Role.LISTITEM) -> tuple[Element[str], ...]:
    return (
        element(f"row{number}", "w", role),
        element(f"label{number}", f"row{number}", Role.LABEL, name),
        element(f"delete{number}", f"row{number}", Role.BUTTON, "Delete"),
        element(f"edit{number}", f"row{number}", Role.BUTTON, "Edit"),
    )


@pytest.mark.requires("identity.record")
@pytest.mark.parametrize("role", [Role.LISTITEM, Role.ROW, Role.TREEITEM, Role.GENERIC])
def test_a_control_in_a_row_belongs_to_what_the_row_says(role: Role) -> None:
    found = records(WINDOW, *row(1, "Ada", role), *row(2, "Bob", role))
    assert (found["delete1"], found["delete2"], found["edit2"]) == (("Ada",), ("Bob",), ("Bob",))


def test_a_name_that_is_its_only_one_is_enough_outside_of_rows() -> None:
    assert "save" not in records(
        WINDOW, element("status", "w", Role.LABEL, "3 changes"), element("save", "w", Role.BUTTON, "Save")
    )


@pytest.mark.requires("identity.record")
def test_in_a_grid_without_rows_what_stands_in_one_line_belongs_together() -> None:
    found = records(
        WINDOW,
        element("ada", "w", Role.LABEL, "Ada", (0, 0)),
        element("d1", "w", Role.BUTTON, "Delete", (20, 0)),
        element("bob", "w", Role.LABEL, "Bob", (0, 20)),
        element("d2", "w", Role.BUTTON, "Delete", (20, 20)),
    )
    assert (found["d1"], found["d2"]) == (("Ada",), ("Bob",))


@pytest.mark.requires("identity.record")
def test_cells_of_one_text_and_controls_in_cells_belong_to_their_line() -> None:
    found = records(
        WINDOW,
        element("t", "w", Role.TABLE),
        element("ada", "t", Role.CELL, "Ada", (0, 0)),
        element("open1", "t", Role.CELL, "open", (20, 0)),
        element("c1", "t", Role.CELL, "", (40, 0)),
        element("pay1", "c1", Role.BUTTON, "Pay", (40, 0)),
        element("bob", "t", Role.CELL, "Bob", (0, 20)),
        element("open2", "t", Role.CELL, "open", (20, 20)),
    )
    assert found["open1"] == ("Ada",)
    assert found["open2"] == ("Bob",)
    assert found["pay1"] == ("Ada", "open")
    assert "ada" not in found


@pytest.mark.requires("identity.record")
def test_the_buttons_of_a_dialog_that_only_asks_belong_to_its_question() -> None:
    dialog = element("d", None, Role.DIALOG, "Confirm")
    question = element("q", "d", Role.LABEL, "Delete Ada?")
    ok = element("ok", "d", Role.BUTTON, "OK")
    assert records(dialog, question, ok)["ok"] == ("Delete Ada?",)
    assert "ok" not in records(dialog, question, ok, element("name", "d", Role.TEXTBOX, "Name"))


@pytest.mark.requires("identity.record")
def test_the_group_that_tells_two_of_a_name_apart_is_known_by_its_name() -> None:
    found = records(
        WINDOW,
        element("bill", "w", Role.GROUP, "Bill to"),
        element("n1", "bill", Role.TEXTBOX, "Name"),
        element("ship", "w", Role.GROUP, "Ship to"),
        element("n2", "ship", Role.TEXTBOX, "Name"),
    )
    assert (found["n1"], found["n2"]) == (("Bill to",), ("Ship to",))


@pytest.mark.requires("identity.record")
def test_a_record_stands_around_a_control_also_where_the_others_of_its_name_are_gone() -> None:
    now = Surroundings((WINDOW, element("status", "w", Role.LABEL, "1 person"), *row(1, "Bob", Role.GENERIC)))
    assert now.stands_among("delete1", ("Bob",))
    assert not now.stands_among("delete1", ("Ada",))


def test_what_changes_while_a_record_stays_the_same_says_nothing_of_it() -> None:
    plain = (WINDOW, *row(1, "Ada"))
    more = (*plain, element("bar", "row1", Role.PROGRESSBAR, "45 %"), element("star", "row1", Role.BUTTON, "Star"))
    assert records(*plain)["delete1"] == records(*more)["delete1"]


def titled(mark: str, *others: Element[str]) -> tuple[Element[str], ...]:
    """A window with two menus, one beside the name of its document, as gedit has them."""
    return (
        element("w", None, Role.WINDOW, f"{mark}a.txt (~) - gedit"),
        element("bar", "w", Role.GROUP),
        element("title", "bar", Role.LABEL, f"{mark}a.txt"),
        element("menu", "bar", Role.BUTTON, "Menu"),
        element("list", "w", Role.GROUP),
        *others,
        element("menu2", "list", Role.BUTTON, "Menu"),
    )


@pytest.mark.requires("identity.record")
def test_that_a_document_was_saved_moves_no_control_beside_its_name() -> None:
    seen = records(*titled("*"))["menu"]
    assert seen == ("a.txt",)
    assert Surroundings(titled("")).stands_among("menu", seen)


@pytest.mark.requires("identity.record")
def test_a_mark_is_part_of_a_name_that_stands_there_without_it_too_or_in_a_row_or_is_not_the_windows() -> None:
    twin = element("other", "list", Role.LABEL, "a.txt")
    assert records(*titled("*", twin))["menu"] == ("*a.txt",)
    rows = (*titled("*"), *row(1, "*a.txt"), *row(2, "b.txt"))
    assert records(*rows)["delete1"] == ("*a.txt",)
    named = (element("row", "w", Role.ROW, "*a.txt"), element("delete", "row", Role.BUTTON, "Delete"))
    assert records(*titled("*"), *named)["delete"] == ("*a.txt",)
    other = (*titled("")[:2], element("title", "bar", Role.LABEL, "*a.txt"), *titled("")[3:])
    assert records(*other)["menu"] == ("*a.txt",)


def browser(said: str) -> tuple[Element[str], ...]:
    """A window that closes, as its tab and something on its page do; the page says something."""
    return (
        WINDOW,
        element("frame", "w", Role.GENERIC, place=(0, 0)),
        element("close", "frame", Role.BUTTON, "Close"),
        element("view", "w", Role.GENERIC, place=(0, 0)),
        element("tab", "view", Role.TAB, "News"),
        element("close tab", "tab", Role.BUTTON, "Close"),
        element("page", "view", Role.DOCUMENT, "News"),
        element("text", "page", Role.PARAGRAPH, said),
        element("advert", "page", Role.GROUP),
        element("close advert", "advert", Role.BUTTON, "Close"),
        element("words", "advert", Role.PARAGRAPH, "Buy"),
    )


@pytest.mark.requires("identity.record")
def test_what_a_page_says_tells_nothing_of_what_stands_outside_of_it() -> None:
    before, after = records(*browser("one")), records(*browser("two"))
    assert before["close"] == before["close tab"] == after["close"] == after["close tab"] == ("News",)
    assert before["close advert"] == ("one", "Buy")
    assert Surroundings(browser("three")).stands_among("close", before["close"])


@pytest.mark.requires("identity.record")
def test_what_stands_beside_it_on_a_page_tells_twins_of_the_page_apart() -> None:
    page = element("page", "w", Role.DOCUMENT, "News")
    rows = [
        (element(f"p{n}", "page", Role.GENERIC), element(f"t{n}", f"p{n}", Role.PARAGRAPH, said))
        for n, said in enumerate(("one", "two"))
    ]
    buttons = [element(f"b{n}", f"p{n}", Role.BUTTON, "Open") for n in range(2)]
    found = records(WINDOW, page, *(each for row in rows for each in row), *buttons)
    assert (found["b0"], found["b1"]) == (("one",), ("two",))
