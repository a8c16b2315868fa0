"""Names are compared as people read them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, comparable_name, first_named


@given(st.text(alphabet=st.one_of(st.sampled_from("_&( .…\t\u0301aé\u1100\u1161"), st.characters())))
@example("__init__")
@example("_ a")
@example("_\u0301a")
def test_a_comparable_name_is_comparable_already(name: str) -> None:
    once = comparable_name(name)
    assert comparable_name(once) == once


@pytest.mark.requires("command.names-compared")
@pytest.mark.parametrize(
    ("name", "same_as"),
    [
        ("_Save", "Save"),
        ("&Save", "Save"),
        ("Save _As…", "Save As..."),
        ("  Save\n  as ", "Save as"),
        ("Zoom (_Z)", "Zoom (Z)"),
        ("Cafe\u0301", "Café"),
        ("snake_case", "snake_case"),
        ("R&D", "R&D"),
        ("__init__", "__init__"),
        ("Save & close", "Save & close"),
    ],
)
def test_the_same_name_written_differently_is_the_same(name: str, same_as: str) -> None:
    assert comparable_name(name) == comparable_name(same_as)
    assert comparable_name(name) == same_as


@pytest.mark.parametrize(("one", "other"), [("Save", "save"), ("Save as", "Saveas"), ("snake_case", "snakecase")])
def test_different_names_stay_different(one: str, other: str) -> None:
    assert comparable_name(one) != comparable_name(other)


@pytest.mark.requires("command.names-compared")
def test_of_names_that_are_compared_as_the_same_the_exact_one_is_meant() -> None:
    items = [TargetInfo(TargetKind.CONTROL, name, Role.LISTITEM) for name in ("id", "_id", "&id")]
    meant = [first_named(items, name) for name in ("_id", "id", "&id", " id", "di")]
    assert meant == [items[1], items[0], items[2], items[0], None]
