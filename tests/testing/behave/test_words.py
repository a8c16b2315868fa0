"""Words of features: roles, keys, and phrases with parts that may be left out."""

import pytest

from deskhand.core.errors import UsageError
from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.roles import raw_role_of, role_of
from deskhand.testing.behave.keys import chord, key
from deskhand.testing.behave.parts import Phrase
from deskhand.testing.behave.roles import expression, roles_of

ALL_ROLES = range(1, 131)
ITEM = 'Item "{name}" "{role}" | found | is "{attr}" | in "{root}" | via command "{command}" | via command'


@pytest.mark.requires("behave.phrases")
def test_every_role_of_accessibility_is_one_of_ours_or_refused_as_arranging() -> None:
    unlisted = {Role.GENERIC, Role.UNKNOWN, Role.APPLICATION}
    for number in ALL_ROLES:
        if role_of(number) in unlisted and raw_role_of(number) != "unknown":
            with pytest.raises(UsageError, match="only arrange"):
                roles_of(raw_role_of(number))
        else:
            assert role_of(number) in roles_of(raw_role_of(number)), raw_role_of(number)
    assert roles_of("button") == roles_of("push button") == roles_of("toggle button") == {Role.BUTTON}
    assert not roles_of("None")


def test_a_role_that_does_not_exist_is_refused_with_similar_ones() -> None:
    with pytest.raises(UsageError, match="no role") as refused:
        roles_of("pushbuton")
    assert "push button" in refused.value.fix
    with pytest.raises(UsageError, match="no regular expression"):
        expression("(")


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("<Ctrl><Shift>s", "{CTRL}{SHIFT}{s}"),
        ("<Control_L><Q>", "{CONTROL}{Q}"),
        ("<Alt><F4>", "{ALT}{F4}"),
        ("<Super>", "{SUPER}"),
        ("<Ctrl><Page_Up>", "{CTRL}{PAGE_UP}"),
        ("<Ctrl><minus>", "{CTRL}{-}"),
    ],
)
def test_a_chord_in_angle_brackets_is_the_one_that_tools_take(written: str, keys: str) -> None:
    assert chord(written) == keys


@pytest.mark.parametrize(
    ("written", "keys"), [("Enter", "{ENTER}"), ("a", "{a}"), ("space", "{ }"), ("Menu", "{APPS}"), (" ", "{ }")]
)
def test_a_key_has_the_name_that_x_gives_it(written: str, keys: str) -> None:
    assert key(written) == keys


def test_a_chord_without_a_key_is_refused() -> None:
    with pytest.raises(UsageError, match="no key"):
        chord("<>")


@pytest.mark.parametrize(
    ("step", "values"),
    [
        ('Item "Save" "push button"', {"name": "Save", "role": "push button"}),
        ('Item "Save" "push button" found', {"name": "Save", "role": "push button", "found": True}),
        (
            'Item "a" "b" in "calc" is "checked" found',
            {"name": "a", "role": "b", "root": "calc", "attr": "checked", "found": True},
        ),
        ('Item "say \\"hi\\"" "r:push \\w+"', {"name": 'say "hi"', "role": "r:push \\w+"}),
        ('Item "" "label" via command', {"name": "", "role": "label", "via_command": True}),
        ('Item "x" "y" via command "gedit"', {"name": "x", "role": "y", "command": "gedit"}),
        ('Item "Save" "push button" foundling', None),
        ('Item "Save" "push button" found found', None),
        ('Item "Save" "push button" in "calc', None),
        ('An Item "Save" "push button"', None),
    ],
)
def test_parts_of_a_phrase_stand_in_any_order_each_at_most_once(step: str, values: dict[str, object] | None) -> None:
    found = Phrase(ITEM).arguments(step)
    assert (None if found is None else {each.name: each.value for each in found}) == values
