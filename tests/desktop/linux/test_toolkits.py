"""Every toolkit's fixture application, seen and worked through the product, against what it says of itself."""

from pathlib import Path

import pytest

from deskhand.desktop.base import Application
from desktop.linux.fixture import linux_desktop
from desktop.linux.toolkits import Judge, Verdict
from support import ROOT
from tools.toolkit_docs import PAGE, RECORD, Recorded, filled, read_record

SYSTEM_PYTHON = "/usr/bin/python3"
PROGRAMS: dict[str, tuple[str, ...]] = {
    "GTK 3": (SYSTEM_PYTHON, "oracle_gtk3.py"),
    "GTK 4": (SYSTEM_PYTHON, "oracle_gtk4.py"),
    "Qt 5": (SYSTEM_PYTHON, "oracle_qt.py", "PyQt5"),
}


def _record() -> dict[str, Recorded]:
    return read_record(RECORD.read_text(encoding="utf-8"))


async def _judged(name: str, folder: Path) -> Verdict:
    python, program, *binding = PROGRAMS[name]
    state_file = folder / "state.json"
    argv = (python, str(ROOT / "tests/apps" / program), *binding, str(state_file))
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(Application("fixture", argv, window="^Fixture$"))
        return await Judge(desktop, window, state_file).judge()


@pytest.mark.desktop
@pytest.mark.requires("desktop.toolkits")
@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_toolkit_works_but_for_what_is_recorded(name: str, tmp_path: Path) -> None:
    verdict = await _judged(name, tmp_path)
    recorded = _record()[name]
    differs = {(column, key): why for column, keys in verdict.differs.items() for key, why in keys.items()}
    known = recorded.refused_keys()
    assert {where: why for where, why in differs.items() if where not in known} == {}
    if verdict.version.startswith(f"{recorded.version}."):
        assert known - differs.keys() == frozenset(), "this works by now; take it out of tests/toolkits.toml"


@pytest.mark.requires("desktop.toolkits")
def test_the_page_is_written_from_the_record_of_the_toolkits_tested() -> None:
    page = PAGE.read_text(encoding="utf-8")
    record = _record()
    assert filled(page, record) == page
    assert list(record) == list(PROGRAMS)
    assert all(f"| {name} (" in page for name in PROGRAMS)
