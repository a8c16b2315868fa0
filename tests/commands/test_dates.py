"""Dates given in ISO form, entered in the form of a field and confirmed as that date."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.bench import bench
from deskhand.commands.techniques.dates import Moment, in_form_of, is_date
from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.desktop.protocols.input import Chord

pytestmark = pytest.mark.requires("tool.dates")


@pytest.mark.parametrize(
    ("shown", "text", "written"),
    [
        ("02.01.2020", "2026-03-12", "12.03.2026"),
        ("2.1.2020", "2026-03-05", "5.3.2026"),
        ("2020-01-02", "2026-03-12", "2026-03-12"),
        ("1/25/20", "2026-03-12", "3/12/26"),
        ("25/01/2020", "2026-03-05", "05/03/2026"),
        ("2 Jan 2020", "2026-03-12", "12 Mar 2026"),
        ("January 2, 2020", "2026-03-12", "March 12, 2026"),
        ("2020-01-02 03:04", "2026-03-12T10:20", "2026-03-12 10:20"),
        ("2020-01-02 03:04", "2026-03-12", "2026-03-12 03:04"),
        ("02.01.2020 03:04 AM", "2026-03-12 22:20", "12.03.2026 10:20 PM"),
    ],
)
def test_a_date_is_written_in_the_form_of_the_field(shown: str, text: str, written: str) -> None:
    moment = Moment.of(text)
    assert moment is not None
    assert in_form_of(shown, moment) == written


@pytest.mark.parametrize("shown", ["1/2/20", "01-02-2020", "12", "", "soon", "2020-01-02"])
def test_an_order_that_is_not_clear_is_not_guessed(shown: str) -> None:
    moment = Moment.of("2026-03-12 10:20" if shown == "2020-01-02" else "2026-03-12")
    assert moment is not None
    assert in_form_of(shown, moment) == ""


@pytest.mark.parametrize("text", ["2026-02-30", "2026-13-01", "2026-03-12 25:00", "24:01"])
def test_a_day_that_does_not_exist_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="there is no"):
        Moment.of(text)


@pytest.mark.parametrize("text", ["", "12.03.2026", "2026-3-12", "2026-03-12 at noon", "2026-03-1210:20"])
def test_any_other_text_is_no_date(text: str) -> None:
    assert Moment.of(text) is None


@given(st.dates(date(1970, 1, 1), date(2099, 12, 31)), st.dates(date(1970, 1, 1), date(2099, 12, 31)))
def test_each_form_reads_back_as_the_same_date(shown: date, wanted: date) -> None:
    moment = Moment.of(wanted.isoformat())
    assert moment is not None
    is_may = shown.month == 5  # its name does not show whether names are cut
    for form in ("%d.%m.%Y", "%Y-%m-%d", "%d %b %Y", "%b %d, %Y" if is_may else "%B %d, %Y"):
        assert is_date(shown.strftime(form))
        assert in_form_of(shown.strftime(form), moment) == wanted.strftime(form)
    if shown.day > 12:
        assert in_form_of(shown.strftime("%m/%d/%Y"), moment) == wanted.strftime("%m/%d/%Y")


@pytest.mark.parametrize("lies", [False, True])
async def test_parts_that_do_not_take_their_digits_are_not_confirmed(lies: bool) -> None:
    parts = {name: FakeControl(Role.SPINBUTTON, f"{name} Due", "1", number=1) for name in ("Month", "Day", "Year")}
    field = FakeControl(Role.GROUP, "Due", children=[*parts.values()])
    it = bench(field)
    typed = list[str]()

    def press(chord: Chord) -> bool:
        typed.append(chord.key)
        digits = "".join(typed)
        if not lies:
            parts["Month"].value, parts["Day"].value, parts["Year"].value = digits[:2], digits[2:4], digits[4:]
        return True

    for part in parts.values():
        part.on_key = press
    result = await it.run("set_edit_text", field, text="2026-03-12")
    assert "".join(typed) == "03122026"
    assert result.effect is (Effect.PARTIAL if lies else Effect.CONFIRMED), result
    for wrong in ("2026-02-30", "2026-03-12 10:20", "12.3.2026"):
        refused = await it.run("set_edit_text", field, text=wrong)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
