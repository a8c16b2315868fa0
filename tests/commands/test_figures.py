"""Numbers as fields show them."""

import pytest

from deskhand.commands.effects.text_match import is_number

pytestmark = pytest.mark.requires("command.effect")


@pytest.mark.parametrize(
    ("shown", "number"),
    [
        ("7", 7),
        ("7.25 kg", 7.25),
        ("7,25", 7.25),
        ("\u22127 \u00b0C", -7),
        ("$7.25", 7.25),
        ("$ 7.25", 7.25),
        ("-$7.25", -7.25),
        ("€-7,25", -7.25),
        ("1,234.50 €", 1234.5),
    ],
)
def test_a_number_is_read_with_its_unit_or_currency(shown: str, number: float) -> None:
    assert is_number(shown, number)
    assert not is_number(shown, number + 1)


@pytest.mark.parametrize("shown", ["", "none", "12:30", "2026-11-25", "Row 7", "7/8", "$"])
def test_what_is_more_or_less_than_one_number_is_none(shown: str) -> None:
    assert not any(is_number(shown, number) for number in (7, 8, 12, 30, 2026, 0))
