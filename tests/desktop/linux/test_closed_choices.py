"""What is chosen in a combo box that is closed, where only the selection of its list tells it."""

from pathlib import Path

import pytest

from deskhand.core.roles import Role
from desktop.linux.fixture import page

pytestmark = pytest.mark.desktop

PAGE = """<!doctype html><title>Fruits</title>
<label>Fruit <select><option>Apple<option selected>Pear<option>Plum</select></label>"""


@pytest.mark.requires("observe.chromium")
async def test_a_closed_select_of_a_page_reads_what_it_shows(tmp_path: Path) -> None:
    async with page(tmp_path, PAGE, "Fruits") as (desktop, window):

        async def shown() -> str | None:
            seen = await desktop.observe(window, picture=False)
            box = next((control for control in seen.controls if control.type is Role.COMBOBOX), None)
            return f"{box.value} {await desktop.read_text(box)}" if box and box.value else None

        assert await desktop.wait_until(shown, deadline_s=20) == "Pear Pear"


SHOWN = """<!doctype html><title>Fruits</title>
<label>Hint <select><option disabled selected hidden>Choose<option>Pear</select></label>
<label>Locked <select disabled><option>Apple<option selected>Plum</select></label>
<label>Nothing <select id=n><option>Apple<option>Plum</select></label>
<label>Grouped <select disabled><optgroup label=G><option>Fig<option selected>Pear</optgroup></select></label>
<label>Lined <select disabled><option>Zero<hr><optgroup label=G><option>Fig<option>Kiwi</optgroup><hr>
<optgroup label=H><option hidden>Lime<option selected>Sloe</optgroup><option>Plum</select></label>
<label>Group locked <select>
<hr><option>Fig<optgroup label=G disabled><option selected>Date<option>Pear</optgroup></select>
</label>
<script>n.selectedIndex = -1</script>"""


@pytest.mark.requires("observe.chromium")
async def test_what_a_select_shows_is_read_also_where_it_or_its_item_is_disabled_and_never_guessed(
    tmp_path: Path,
) -> None:
    async with page(tmp_path, SHOWN, "Fruits") as (desktop, window):

        async def shown() -> dict[str, tuple[str, str]] | None:
            seen = await desktop.observe(window, picture=False)
            boxes = [control for control in seen.controls if control.type is Role.COMBOBOX]
            read = {box.name: (box.value, await desktop.read_text(box)) for box in boxes}
            return read if len(read) == 6 and read["Locked"][0] else None

        assert await desktop.wait_until(shown, deadline_s=20) == {
            "Hint": ("Choose", "Choose"),
            "Locked": ("Plum", "Plum"),
            "Nothing": ("", ""),
            "Grouped": ("Pear", "Pear"),
            "Lined": ("Sloe", "Sloe"),
            "Group locked": ("Date", "Date"),
        }
