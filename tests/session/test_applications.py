"""Which application a name means, and which one opens a file."""

import itertools
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.commands import standard_catalogue
from deskhand.config.sections import ApplicationEntry
from deskhand.core.command import Command
from deskhand.core.errors import ApplicationAmbiguous, ApplicationUnknown, ApplicationUnusable, NothingOpens
from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.freedesktop.entries import entries
from deskhand.desktop.freedesktop.folders import Folders
from deskhand.desktop.freedesktop.mime import mime_database
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.policy.rules import default_rules
from deskhand.session.applications import Opening, is_window_of
from session.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def editors(machine: Machine) -> Machine:
    return machine.with_editors()


def file(machine: Machine, name: str, content: bytes = b"x\n") -> Path:
    path = machine.root / name
    path.write_bytes(content)
    return path


@pytest.mark.requires("applications.names")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gedit", "org.gnome.gedit"),
        ("GEDIT", "org.gnome.gedit"),
        ("org.gnome.gedit", "org.gnome.gedit"),
        ("org.gnome.gedit.desktop", "org.gnome.gedit"),
        ("plaintext", "org.gnome.gedit"),
        ("Text  Editor", "org.xfce.mousepad"),
        ("mousepad", "org.xfce.mousepad"),
        ("org.xfce.mousepad (Mousepad)", "org.xfce.mousepad"),
        ("text editor settings", "org.xfce.mousepad-settings"),
        ("writer", "writer"),
        ("libreoffice-writer", "writer"),
        ("Word Processor", "writer"),
        ("calc", "calc"),
    ],
)
def test_an_application_answers_to_all_its_names(editors: Machine, name: str, meant: str) -> None:
    assert editors.applications().find(name).id == meant


@pytest.mark.requires("applications.names")
def test_localised_names_are_those_of_the_users_languages(editors: Machine) -> None:
    with pytest.raises(ApplicationUnknown):
        editors.applications().find("Schreiber")
    german = editors.applications(LANG="de_AT.UTF-8")
    assert german.find("schreiber").id == german.find("gedit").id == "org.gnome.gedit"
    assert german.find("gedit").title == "Schreiber"


@pytest.mark.requires("applications.names")
def test_a_name_of_several_applications_is_refused_with_all_of_them(editors: Machine) -> None:
    editors.install("kate")
    editors.entry("org.kde.kate", "Name=Kate\nGenericName=Text Editor\nExec=kate %U")
    with pytest.raises(ApplicationAmbiguous) as refused:
        editors.applications().find("text editor")
    assert refused.value.candidates == ("org.kde.kate (Kate)", "org.xfce.mousepad (Mousepad)")
    assert editors.applications().named_in("in the Text Editor") == frozenset()


@pytest.mark.requires("applications.names")
def test_what_cannot_be_opened_says_why_and_what_to_do(editors: Machine) -> None:
    editors.entry("gone", "Name=Gone\nTryExec=nowhere\nExec=gedit %U")
    editors.entry("bus", "Name=Bus\nDBusActivatable=true")
    editors.entry("torn", 'Name=Torn\nExec=gedit "never closed')
    editors.entry("coded", "Name=Coded\nExec=gedit %y")
    known = editors.applications()
    for name, why in {
        "vim": "it runs in a terminal",
        "gone": "its program nowhere is not installed",
        "bus": "it can only be activated over D-Bus",
        "torn": "a quote is not closed",
        "coded": "there is no field code %y",
        "math": "LibreOffice is installed without it",
    }.items():
        with pytest.raises(ApplicationUnusable, match=why) as refused:
            known.find(name)
        assert "applications" in refused.value.fix
    vim = editors.applications({"vim": ApplicationEntry(argv=("xterm", "-e", "vim"))}).find("VIM")
    assert (vim.id, vim.application.argv, vim.title) == ("vim", ("xterm", "-e", "vim"), "Vim")


@pytest.mark.requires("applications.entries")
def test_the_users_entries_come_first_and_can_delete_those_of_the_system(editors: Machine) -> None:
    editors.entry("org.gnome.gedit", "Name=My editor\nExec=gedit --mine %f", user=True)
    editors.entry("chromium", "Name=x\nHidden=true", user=True)
    editors.entry("kde/okular", "Name=Okular\nExec=gedit %f", user=True)
    editors.entry("secret", "Name=Secret\nNoDisplay=true\nExec=gedit %f")
    editors.entry("gnomes", "Name=Gnomes\nOnlyShowIn=GNOME;\nExec=gedit %f")
    editors.entry("others", "Name=Others\nNotShowIn=GNOME;\nExec=gedit %f")
    known = editors.applications(XDG_CURRENT_DESKTOP="ubuntu:GNOME")
    assert known.find("gedit").application.argv_with_file == ("gedit", "--mine", "{file}")
    with pytest.raises(ApplicationUnknown):
        known.find("chromium")
    assert known.find("kde-okular").title == "Okular"
    assert known.find("secret").id == "secret"
    offered = {name.partition(" ")[0] for name in known.offered()[0]}
    assert {"gnomes", "kde-okular"} < offered
    assert not offered & {"secret", "others", "vim"}


@pytest.mark.requires("applications.entries")
@pytest.mark.parametrize(
    ("command", "argv", "with_file"),
    [
        ("gedit", ["gedit"], ["gedit", "{file}"]),
        ("gedit %F --new", ["gedit", "--new"], ["gedit", "{file}", "--new"]),
        ("gedit --file=%u %%", ["gedit", "--file=", "%"], ["gedit", "--file={file}", "%"]),
        (
            "gedit %i %c %k %m %d",
            ["gedit", "--icon", "pen", "A B", "K"],
            ["gedit", "--icon", "pen", "A B", "K", "{file}"],
        ),
        (r'gedit "a b" "\\$x \\\\ \\"q\\"" ""', ["gedit", "a b", '$x \\ "q"', ""], None),
        ("env A=1 B=2 {bin}/gedit %f", ["env", "A=1", "B=2", "gedit"], ["env", "A=1", "B=2", "gedit", "{file}"]),
        ("env -u A {bin}/gedit %f", ["env", "-u", "A", "gedit"], ["env", "-u", "A", "gedit", "{file}"]),
        ("{bin}/gedit %f", ["gedit"], ["gedit", "{file}"]),
        ("{bin}/../other/gedit %f", ["{bin}/../other/gedit"], ["{bin}/../other/gedit", "{file}"]),
    ],
)
def test_a_command_is_read_by_the_rules_of_the_specification(
    machine: Machine, command: str, argv: list[str], with_file: list[str] | None
) -> None:
    machine.install("env", "gedit")
    (machine.root / "other").mkdir()
    shutil.copy(machine.root / "bin/gedit", machine.root / "other/gedit")
    folder = str(machine.root / "bin")
    path = machine.entry("it", f"Name=A B\nIcon=pen\nExec={command.replace('{bin}', folder)}")
    it = machine.applications().find("it").application
    filled = [word.replace("{bin}", folder).replace("K", str(path)) for word in argv]
    assert list(it.argv) == filled
    if with_file is not None:
        filled = [word.replace("{bin}", folder).replace("K", str(path)) for word in with_file]
        assert list(it.argv_with_file) == filled


@pytest.mark.requires("applications.names")
def test_a_libreoffice_that_is_started_by_something_else_is_what_writer_means(machine: Machine) -> None:
    machine.install("flatpak")
    command = "flatpak run --command=libreoffice org.libreoffice.LibreOffice --writer"
    machine.entry("org.libreoffice.LibreOffice.writer", f"Name=LibreOffice Writer\nExec={command} @@u %U @@")
    writer = machine.applications().find("writer").application
    assert writer.argv_with_file == (*command.split(), "@@u", "{file}", "@@")
    assert writer.window == "LibreOffice Writer$"
    assert machine.applications().opener(file(machine, "a.odt")).application == writer


@pytest.mark.requires("applications.configured")
def test_the_configuration_wins_and_adds(editors: Machine) -> None:
    configured = {
        "gedit": ApplicationEntry(argv=("gedit", "-s"), window="gedit$"),
        "notes": ApplicationEntry(argv=("mousepad", "--new")),
    }
    known = editors.applications(configured)
    assert known.find("org.gnome.gedit").application.argv == ("gedit", "-s")
    assert known.opener(file(editors, "a.txt")).application.window == "gedit$"
    assert known.find("notes").application.argv == ("mousepad", "--new")
    assert known.find("mousepad").id == "org.xfce.mousepad"


@pytest.mark.requires("wine.named")
@pytest.mark.parametrize(
    ("name", "id_", "program"),
    [
        ("Notepad.EXE", "notepad.exe", "notepad.exe"),
        ("/opt/App.exe", "/opt/App.exe", "/opt/App.exe"),
        ("C:\\Program Files\\App.exe", "C:\\Program Files\\App.exe", "C:\\Program Files\\App.exe"),
    ],
)
def test_a_program_of_windows_is_an_application_by_its_name_or_path(
    editors: Machine, name: str, id_: str, program: str
) -> None:
    found = editors.applications().with_file(name)
    assert (found.id, found.application.argv) == (id_, (program,))
    assert found.application.name in {"notepad.exe", "App.exe"}


@pytest.mark.requires("applications.policy")
@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("Write it in gedit.", {"org.gnome.gedit"}),
        ("open org.gnome.gedit, then 'LibreOffice Writer'", {"org.gnome.gedit", "writer"}),
        ("Use the TEXT EDITOR", {"org.xfce.mousepad"}),
        ("Use the Text Editor Settings", {"org.xfce.mousepad-settings"}),
        ("Ein Writer-Dokument", {"writer"}),
        ("Write the text; edit it in the editor, recalculate", set[str]()),
        ("11 tasks of version 3.11, in sheets", set[str]()),
        ("Open /tmp/gedit/calc.ods, /notes/writer and x-gedit, see gedit.org", set[str]()),
        ("Write it in Notepad.exe, not in /tmp/evil.exe or C:\\evil.exe", {"notepad.exe"}),
    ],
)
def test_a_request_names_applications_by_whole_names_that_mean_one(
    editors: Machine, request_: str, named: set[str]
) -> None:
    assert editors.applications().named_in(request_) == named


@pytest.mark.requires("applications.offered")
def test_forty_are_offered_and_those_for_the_sessions_files_first(editors: Machine) -> None:
    editors.install("tool")
    for number in range(60):
        editors.entry(f"a{number:02}", f"Name=Tool {number}\nExec=tool --number={number} %f")
    offered, more = editors.applications().offered([file(editors, "a.txt")])
    assert (len(offered), offered[:2]) == (40, ("org.gnome.gedit (gedit)", "org.xfce.mousepad (Mousepad)"))
    assert more == sum(1 for each in editors.applications() if each.is_listed and not each.problem) - 40


@pytest.mark.requires("applications.files")
@pytest.mark.parametrize("database", [True, False])
@pytest.mark.parametrize(
    ("name", "content", "opener"),
    [
        ("letter.odt", b"", "writer"),
        ("SALES.XLSX", b"", "calc"),
        ("talk.odp", b"", "impress"),
        ("data.csv", b"a,b\n", "calc"),
        ("notes.txt", b"x\n", "org.gnome.gedit"),
        ("notes.ini", b"[x]\n", "org.gnome.gedit"),
        ("NOTES", b"no suffix\n", "org.gnome.gedit"),
        ("page.html", b"<html>", "chromium"),
    ],
)
def test_a_file_is_opened_by_what_is_made_for_it(
    editors: Machine, name: str, content: bytes, opener: str, database: bool
) -> None:
    if database:
        editors.types()
    assert editors.applications().opener(file(editors, name, content)).id == opener


@pytest.mark.requires("resume.reopened")
def test_the_window_of_a_script_is_that_of_the_application_that_runs_it(machine: Machine) -> None:
    entry = ApplicationEntry(argv=("/usr/bin/python3", "/opt/register.py", "log"))
    known = machine.applications({"register": entry})
    window = TargetInfo(TargetKind.WINDOW, "Register", Role.WINDOW, application="register.py")
    assert is_window_of(window, known.find("register"), known)
    assert not is_window_of(replace(window, application="log"), known.find("register"), known)


@pytest.mark.requires("applications.files")
def test_the_users_choice_of_what_opens_a_type_holds(editors: Machine) -> None:
    editors.types()
    editors.install("pix")
    editors.entry("pix", "Name=Pix\nExec=pix %f")
    editors.chosen(
        "[Default Applications]\ntext/plain=gone.desktop;libreoffice-writer.desktop;\n"
        "[Added Associations]\nimage/png=pix.desktop;\n[Removed Associations]\ntext/html=chromium.desktop;\n"
    )
    known = editors.applications()
    assert known.opener(file(editors, "a.txt")).id == "writer"
    assert known.opener(file(editors, "a.png")).id == "pix"
    assert known.opener(file(editors, "a.html")).id == "writer", "a page is text too"
    assert known.opener(file(editors, "a.html"), among=("org.gnome.gedit",)).id == "org.gnome.gedit"


@pytest.mark.requires("applications.files")
def test_a_folder_is_opened_by_a_file_manager(machine: Machine) -> None:
    machine.install("code", "pcmanfm")
    machine.entry("code", "Name=Code\nExec=code %F\nMimeType=inode/directory;")
    with_code = machine.applications()
    assert with_code.opener(machine.root).id == "code"
    machine = Machine(machine.root)
    machine.entry(
        "pcmanfm", "Name=Files\nExec=pcmanfm %U\nMimeType=inode/directory;x/y;\nCategories=FileManager;", user=True
    )
    assert machine.applications(LANG="de").opener(machine.root).id == "pcmanfm"


@pytest.mark.requires("applications.files")
def test_what_nothing_opens_is_told_with_its_type_and_what_to_do(editors: Machine) -> None:
    editors.types()
    known = editors.applications()
    with pytest.raises(NothingOpens, match=r"'a\.png' \(its type is image/png\)") as refused:
        known.opener(file(editors, "a.png"))
    assert "--with APP" in refused.value.fix
    assert known.launched("", "no\0path") is None


@pytest.mark.requires("applications.files")
def test_text_opens_in_writer_where_there_is_no_text_editor(editors: Machine) -> None:
    for name in ("org.gnome.gedit", "org.xfce.mousepad"):
        editors.entry(name, "Hidden=true", user=True)
    assert editors.applications().opener(file(editors, "a.txt")).id == "writer"


@pytest.mark.requires("applications.files")
def test_files_open_in_what_is_named_for_them(editors: Machine) -> None:
    known = editors.applications()
    files = (file(editors, "a.txt"), file(editors, "b.csv"))

    def opening(names: tuple[str, ...], chosen: str = "") -> tuple[list[str], list[str]]:
        found = Opening.of(files, names, chosen, known)
        return [opener.id for _, opener in found.files], [each.id for each in found.applications]

    assert opening(()) == (["org.gnome.gedit", "calc"], [])
    assert opening(("mousepad", "calc", "chromium")) == (["org.xfce.mousepad", "calc"], ["chromium"])
    assert opening(("calc",), "Text Editor") == (["org.xfce.mousepad"] * 2, ["calc"])


@pytest.mark.requires("applications.files")
def test_an_application_that_takes_no_files_is_refused_before_it_is_started(machine: Machine) -> None:
    """Such as a calculator: started with a file, it would show no window."""
    machine.install("sums", "view", "pens")
    machine.entry("sums", "Name=Sums\nExec=sums")
    machine.entry("view", "Name=View\nExec=view %f")
    machine.entry("pens", "Name=Pens\nExec=pens\nMimeType=image/png;")
    known = machine.applications()
    with pytest.raises(ApplicationUnusable, match=r"^sums opens no files: it declares no types") as error:
        Opening.of((file(machine, "a.txt"),), (), "sums", known)
    assert "argv_with_file" in error.value.fix
    assert Opening.of((), ("sums",), "", known).applications[0].id == "sums"
    assert [known.with_file(name).id for name in ("view", "pens")] == ["view", "pens"]
    told = {"sums": ApplicationEntry(argv=("sums",), argv_with_file=("sums", "--load={file}"))}
    assert machine.applications(told).with_file("sums").id == "sums"


@pytest.mark.requires("applications.once")
def test_the_entries_are_read_once_and_fast(machine: Machine) -> None:
    machine.install("tool")
    for number in range(200):
        names = "".join(f"Name[l{n}]=Werkzeug {number}\n" for n in range(80))
        machine.entry(f"org.tools.tool{number}", f"Name=Tool {number}\n{names}Exec=tool %U\nMimeType=text/plain;")
    folders = Folders.of(machine.environment())
    begin = time.process_time()
    found = entries(folders)
    took = time.process_time() - begin
    assert len(found) == 200
    assert took < 0.5, f"{took:.3f} s"
    shutil.rmtree(machine.system)
    assert entries(folders) is found


KINDS = {
    "a.txt": b"x\n",
    "b": b"plain words\n",
    "c": b"",
    "notes.ini": b"[x]\n",
    "page.html": b"<html></html>",
    "page": b"<!DOCTYPE html><html></html>",
    "x.c": b"int x;",
    "x.C": b"int x;",
    "a.tar.gz": b"\x1f\x8b\x08",
    "Makefile": b"all:\n",
    "script": b"#!/bin/sh\n",
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "wrong.PNG": b"GIF89a",
    "paper": b"%PDF-1.4\n",
    "data.json": b"{}",
    "mail.pot": b'msgid ""\n',
    "slides.pot": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0",
    "raw": b"\0\1\2",
    "Ü b.Txt": b"x",
    "backup.txt~": b"x",
    "x.svg": b"<svg/>",
    "feed": b'<?xml version="1.0"?><a/>',
    "y.yaml": b"a: 1",
}


@pytest.mark.requires("applications.types")
@pytest.mark.desktop  # which leaves a test the machine's own database
def test_types_are_those_of_the_machines_own_program(tmp_path: Path) -> None:
    for name, content in KINDS.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("a.txt")
    database = mime_database(Folders.of({"HOME": str(tmp_path)}))
    paths = sorted(tmp_path.iterdir())
    told = subprocess.run(
        ["gio", "info", "-a", "standard::content-type", *paths], capture_output=True, text=True, check=True
    ).stdout
    said = [line.partition("content-type: ")[2] for line in told.splitlines() if "content-type: " in line]
    assert {path.name: database.type_of(path) for path in paths} == dict(
        itertools.zip_longest((path.name for path in paths), said)
    )


@pytest.mark.requires("applications.policy")
@pytest.mark.parametrize(
    ("request_", "arguments", "decision"),
    [
        ("Use the Text Editor", {"application": "mousepad"}, "allow"),
        ("Use mousepad", {"application": "text editor"}, "allow"),
        ("Use org.xfce.mousepad", {"file": "a.notes"}, "allow"),
        ("Use the Text Editor", {"application": "gedit"}, "confirm"),
        ("Edit the text", {"application": "Text Editor Settings"}, "confirm"),
        ("Open a.notes", {"file": "a.notes"}, "confirm"),
        ("Use gedit", {"application": "nowhere"}, "allow"),
        ("Use Notepad.exe", {"application": "notepad.exe"}, "allow"),
        ("Use notepad.exe", {"application": "regedit.exe"}, "confirm"),
        ("Use notepad.exe", {"application": "/tmp/notepad.exe"}, "confirm"),
        ("Use notepad.exe", {"application": "C:\\tmp\\notepad.exe"}, "confirm"),
    ],
)
def test_a_launch_is_judged_by_the_identity_of_what_it_starts(
    editors: Machine, request_: str, arguments: JsonObject, decision: str
) -> None:
    """What no application answers to is refused by the tool itself, with the reason."""
    editors.types("50:text/x-notes:*.notes\n")
    file(editors, "a.notes")
    known = editors.applications()
    surroundings = Surroundings(
        standard_catalogue().spec, known.launched, named_in_requests=lambda: known.named_in(request_)
    )
    given = {key: str(editors.root / str(value)) if key == "file" else value for key, value in arguments.items()}
    verdict = RulePolicy(default_rules(), surroundings).judge(Command("launch_application", given), None)
    assert verdict.decision == decision
    if "file" in arguments:
        assert verdict.facts.application == "mousepad", "as its windows report it"
