"""Windows with known faults, inspected on a real desktop."""

from pathlib import Path

import pytest

from deskhand.accessibility.inspection import Inspection, inspect
from deskhand.accessibility.page import as_object, write_accessibility_page
from deskhand.accessibility.remedies import Toolkit
from deskhand.accessibility.rules import Rule
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("accessibility.real")]


async def inspected(desktop: LinuxDesktop, program: str) -> Inspection:
    argv = ("/usr/bin/python3", str(ROOT / f"tests/apps/{program}.py"))
    window = await desktop.launch(Application(program, argv))
    return await inspect(desktop, window, may_type=True, may_press=True)


def found(inspection: Inspection) -> list[tuple[str, Rule, str]]:
    return [(view.title, each.rule, each.control) for view in inspection.views for each in view.findings]


async def test_each_fault_is_found_and_controls_without_one_are_not_reported(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        desktop.reads_pictures = False
        gtk = await inspected(desktop, "inaccessible_gtk3")
        qt = await inspected(desktop, "inaccessible_qt")
    assert (gtk.toolkit, gtk.notes) == (Toolkit.GTK3, [])
    assert found(gtk) == [
        ("Inaccessible", Rule.NO_NAME, "button"),
        ("Inaccessible", Rule.LABEL_NOT_RELATED, "textbox"),
        ("Inaccessible", Rule.NO_ACTION, 'button "Add"'),
        ("Inaccessible", Rule.EQUAL_NAMES, 'button "Delete"'),
        ("menu File", Rule.EQUAL_NAMES, 'menuitem "Save"'),
    ]
    assert (qt.toolkit, qt.notes) == (Toolkit.QT, [])
    assert found(qt) == [
        ("Inaccessible", Rule.NO_NAME, "button"),
        ("Inaccessible", Rule.LABEL_NOT_RELATED, "textbox"),
        ("Inaccessible", Rule.WRONG_PLACE, 'button "Covered"'),
        ("Inaccessible", Rule.STATE_NOT_REPORTED, 'checkbox "Silent"'),
        ("Inaccessible", Rule.NOT_BY_TAB, 'textbox "Code"'),
    ]
    page = write_accessibility_page(qt, tmp_path / "page.html").read_text()
    assert page.count("<article") == 5
    assert page.count("data:image") == 6
    assert "setBuddy()" in page
    assert as_object(gtk)["counts"] == {"no name": 1, "label not related": 1, "no action": 1, "equal names": 2}
