"""Which character an old keysym is of."""

import pytest

from deskhand.desktop.linux.x11.keysyms import keysym_of, modern


@pytest.mark.requires("typing.layouts")
@pytest.mark.parametrize(
    ("first", "characters"),
    [
        (0x6A1, "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"),
        (0x7E1, "αβγδεζηθικλμνξοπρσςτυφχψω"),
        (0xCE0, "אבגדהוזחטיךכלםמןנסעףפץצקרשת"),
        (0x1B1, "ą"),
        (0xAA9, "—–"),
    ],
)
def test_an_old_keysym_is_that_of_its_character(first: int, characters: str) -> None:
    assert [modern(first + place) for place in range(len(characters))] == [keysym_of(one) for one in characters]
