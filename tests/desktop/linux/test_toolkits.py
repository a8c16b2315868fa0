"""Every toolkit's fixture application, seen and worked through the product, against what it says of itself."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import BRIDGE, JAVA, UNO, linux_desktop
from desktop.linux.toolkits import Deed, Judge, Trial, Verdict
from support import QT6, ROOT, need
from tools.toolkit_docs import COLUMNS, PAGE, RECORD, Recorded, filled, read_record
from tools.windows_scripts import windows_script
from windows_programs import WIN32, need_wine

APPS: Final = ROOT / "tests/apps"


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture application: how it is started but for its file, what has to be there for it, and what is tried."""

    argv: tuple[str, ...]
    needs: tuple[Path, ...] = ()
    trial: Trial = field(default_factory=Trial)
    window: str = "^Fixture$"


def _python(program: str, *arguments: str, python: str = "/usr/bin/python3") -> tuple[str, ...]:
    return (python, str(APPS / program), *arguments)


def _office(kind: str, trial: Trial, *, window: str = "LibreOffice (Writer|Calc|Impress)$") -> Fixture:
    program = _python("oracle_office.py", kind)
    return Fixture(program, (UNO,), trial, window)


FIXTURES: Final = {
    "GTK 3": Fixture(_python("oracle_gtk3.py")),
    "GTK 4": Fixture(_python("oracle_gtk4.py")),
    "Qt 5": Fixture(_python("oracle_qt.py", "PyQt5")),
    "Qt 6": Fixture(_python("oracle_qt.py", "PySide6", python=str(QT6)), (QT6,)),
    "Swing": Fixture(
        (*JAVA, str(APPS / "OracleSwing.java")),
        (BRIDGE,),
    ),
    "LibreOffice": _office("dialog", Trial(), window="^Fixture$"),
    "Writer": _office(
        "writer",
        Trial(
            clicked=("words", "cell", "heading"),
            read=("heading", "words", "cell"),
            written="words",
            no_table="words",
            deeds={"bold": Deed.TOGGLE},
        ),
    ),
    "Calc": _office(
        "calc",
        Trial(
            clicked=("second", "first"),
            read=("box",),
            written="",
            shape=(1_048_576, 16_384),
            no_table="first",
            deeds={"bold": Deed.TOGGLE, "box": Deed.GO, "second": Deed.SELECT},
        ),
    ),
    "Impress": _office(
        "impress",
        Trial(
            clicked=("slide1", "slide2", "box", "title"),
            read=("title",),
            written="title",
            no_table="box",
            deeds={"slide1": Deed.SELECT, "slide2": Deed.SELECT},
        ),
    ),
    "Chromium": Fixture(_python("oracle_chromium.py"), (Path("/usr/bin/chromium"),)),
    "Firefox": Fixture(_python("oracle_firefox.py"), (Path("/usr/bin/firefox-esr"),), window="^Fixture — "),
    WIN32: Fixture(windows_script("oracle_win32.py")),
}


def _record() -> dict[str, Recorded]:
    return read_record(RECORD.read_text(encoding="utf-8"))


async def _judged(fixture: Fixture, folder: Path, recorded: Recorded) -> Verdict:
    state_file = folder / "state.json"
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(
            Application("fixture", (*fixture.argv, str(state_file)), window=fixture.window), deadline_s=90
        )
        return await Judge(desktop, window, state_file, fixture.trial, recorded.refused_keys).judge()


@pytest.mark.full(
    "programs of one office, of which Calc is tried; test_firefox has Firefox",
    but=["GTK 3", "GTK 4", "Qt 5", "Qt 6", "Swing", "Chromium", "Calc", WIN32],
)
@pytest.mark.desktop
@pytest.mark.requires("desktop.toolkits")
@pytest.mark.parametrize("name", FIXTURES)
async def test_a_toolkit_works_but_for_what_is_recorded(name: str, tmp_path: Path) -> None:
    fixture = FIXTURES[name]
    if name == WIN32:
        need_wine()
    need(*fixture.needs)
    recorded = _record()[name]
    verdict = await _judged(fixture, tmp_path, recorded)
    known = recorded.refused_keys(verdict.version)
    assert verdict.judged == set(COLUMNS), "of what is not judged nobody can say that it works"
    differs = {(column, key): why for column, keys in verdict.differs.items() for key, why in keys.items()}
    assert {where: why for where, why in differs.items() if where not in known} == {}
    if recorded.recorded(verdict.version):
        assert known - differs.keys() == frozenset(), "this works by now; take it out of tests/toolkits.toml"


@pytest.mark.requires("desktop.toolkits")
def test_the_page_is_written_from_the_record_of_the_toolkits_tested() -> None:
    page = PAGE.read_text(encoding="utf-8")
    record = _record()
    assert filled(page, record) == page
    assert list(record) == list(FIXTURES)
    assert all(f"| {name} (" in page for name in FIXTURES)
