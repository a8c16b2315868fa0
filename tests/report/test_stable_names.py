"""Names of windows and controls that hold a document's name are looked for without it."""

import pytest

from deskhand.core.events import ActionFinished, DocumentLeft, DocumentOpened, SubtaskAssigned, WindowChosen
from deskhand.core.patterns import matches_name
from deskhand.report.stable_names import StableNames

pytestmark = pytest.mark.requires("playbook.export-names")


def chosen(title: str, application: str, handle: str = "w1") -> WindowChosen:
    return WindowChosen(step=1, agent="HostAgent", window=title, handle=handle, application=application)


OPENED = DocumentOpened(path="/home/ada/report.odt", copy_path="/s/documents/report.odt")
SAVED = ActionFinished(
    step=2, agent="a", call_id="1", tool="choose_file", status="success", arguments={"path": "/o/sales.ods"}
)


@pytest.mark.parametrize(
    ("title", "application", "wanted", "another"),
    [
        (
            "report.odt - LibreOffice Writer",
            "libreoffice-writer",
            "/LibreOffice Writer$/",
            "x.odt - LibreOffice Writer",
        ),
        ("Untitled 1 \u2014 LibreOffice Calc", "libreoffice-calc", "/LibreOffice Calc$/", "y \u2014 LibreOffice Calc"),
        ("sales.ods: Viewer (1)", "python3", "/Viewer \\(1\\)$/", "z: Viewer (1)"),
        ("*report.odt (~/) - gedit", "gedit", "/gedit$/", "other.txt (~/) - gedit"),
        ("Editor - report.odt", "python3", "/^Editor/", "Editor - x.odt"),
        ("report.odt - Editor *", "python3", "/Editor/", "x.odt - Editor"),
        ("Editing report.odt", "python3", "/^Editing/", "Editing x.odt"),
        ("Fixture", "python3", "Fixture", "Fixture"),
        ("Invoice - 2026", "python3", "Invoice - 2026", "Invoice - 2026"),
        ("report.odt", "python3", "report.odt", "report.odt"),
        ("/a/", "python3", "/^/a/\\Z/", "/a/"),
    ],
)
def test_a_title_is_found_by_its_program_where_it_names_one(
    title: str, application: str, wanted: str, another: str
) -> None:
    names = StableNames.of([OPENED, SAVED, chosen(title, application)])
    assert names.wanted_title(title) == wanted
    assert matches_name(wanted, title)
    assert matches_name(wanted, another)


def test_two_windows_of_a_program_keep_their_whole_titles() -> None:
    titles = ["report.odt - LibreOffice Writer", "letter.odt - LibreOffice Writer"]
    letter = DocumentLeft(path="/letter.odt", copy_path="/s/letter.odt", window="w2", title=titles[1])
    assigned = SubtaskAssigned(
        agent="a", subtask="", application="libreoffice-writer", window=titles[0], reused=False, handle="w1"
    )
    names = StableNames.of([OPENED, letter, assigned])
    assert [names.wanted_title(title) for title in titles] == titles


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("report.odt - LibreOffice Document", "/LibreOffice Document$/"),
        ("Save changes to \u201creport.odt\u201d before closing?", "/before closing\\?$/"),
        ("report.odt", ""),
        ("OK", "OK"),
    ],
)
def test_a_control_is_looked_for_without_the_documents_name(name: str, wanted: str) -> None:
    assert StableNames.of([OPENED]).wanted(name) == wanted
