"""`deskhand verify`, on a desktop in memory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.driver import Console
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop
from notes import Notes


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Notes:
    """What `--desktop memory` opens."""
    made = Notes([FakeControl(Role.CHECKBOX, "Bold", states={"checked"})])

    @asynccontextmanager
    async def opened(choice: str, *_: object, **__: object) -> AsyncGenerator[FakeDesktop]:
        assert choice == "memory"
        yield made.desktop

    monkeypatch.setattr("deskhand.cli.desktop_choice.open_desktop", opened)
    monkeypatch.setenv("DESKHAND_DESKTOP", "memory")
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.requires("cli.verify")
def test_what_holds_ends_with_0_what_does_not_with_1_and_what_nobody_can_say_with_4(
    console: Console, notes: Notes
) -> None:
    asked = ("verify", "--role", "checkbox", "--name", "Bold", "--wait", "0", "--json")
    for state, code, verdict in (("checked", 0, "satisfied"), ("not checked", 1, "unsatisfied")):
        done = console(*asked, "--state", state)
        assert (done.code, done.item("verdict"), done.item("error")) == (code, verdict, None)
        assert set(done.json) == {"verdict", "checks", "error"}
        (check,) = done.items("checks")
        assert set(check) == {"name", "verdict", "detail"}
    notes.desktop.faults.truncate_after = 1
    unknown = console("verify", "--name", "Bold", "--wait", "0", "--json")
    assert (unknown.code, unknown.item("verdict")) == (4, "unknown")


@pytest.mark.requires("cli.verify")
@pytest.mark.usefixtures("notes")
def test_windows_files_and_what_is_gone_are_looked_at_and_told_line_by_line(console: Console, tmp_path: Path) -> None:
    (tmp_path / "sales.txt").write_text("North 7")
    done = console("verify", "--opens", "/^Notes/", "--file", "sales.txt", "--contains", "North", "--name", "Bold")
    assert done.code == 0
    assert done.out.splitlines()[0] == "satisfied"
    assert [line.split(":")[0].strip() for line in done.out.splitlines()[1:]] == ["window", "file", "shows"]
    assert console("verify", "--name", "Nobody", "--gone").code == 0
    assert console("verify", "--name", "Bold", "--gone", "--wait", "0").code == 1


@pytest.mark.requires("cli.verify")
@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(
    "wrong",
    [(), ("--gone",), ("--state", "checked"), ("--name", "/(/"), ("--name", "Bold", "--state", "chekced")],
)
def test_what_cannot_be_expected_is_a_usage_error_and_still_one_object(
    console: Console, wrong: tuple[str, ...]
) -> None:
    done = console("verify", *wrong, "--json")
    assert (done.code, set(done.json)) == (2, {"error"}), done.err


@pytest.mark.requires("cli.verify")
@pytest.mark.usefixtures("notes")
def test_a_role_that_there_is_not_is_a_usage_error_that_lists_the_roles(console: Console) -> None:
    for gone in ((), ("--gone",)):
        done = console("verify", "--role", "chekbox", *gone, "--wait", "0")
        assert (done.code, done.out) == (2, "")
        assert "there is no role 'chekbox'; roles are alert, " in done.err
    assert console("verify", "--role", "/check/", "--wait", "0").code == 0


@pytest.mark.requires("cli.verify")
@pytest.mark.usefixtures("notes")
def test_where_nothing_is_expected_the_options_are_named(console: Console) -> None:
    done = console("verify")
    assert done.code == 2
    for option in ("--opens", "--file", "--role", "--name", "--value", "--gone"):
        assert option in done.err


@pytest.mark.requires("result.junit", "result.tap")
@pytest.mark.usefixtures("notes")
def test_results_are_a_junit_file_and_tap_also_where_nothing_could_be_checked(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("verify", "--wait", "0", "--junit", "results.xml")
    held = console(*asked, "--name", "Bold", "--tap")
    assert held.out.splitlines() == ["TAP version 14", "1..1", "ok 1 - shows"]
    assert _verdicts() == [("shows", "passed")]
    assert console(*asked, "--name", "Nobody", "--opens", "/^Notes/").code == 1
    assert _verdicts() == [("window", "passed"), ("shows", "failure")]
    assert console(*asked, "--name", "/(/").code == 2
    assert _verdicts() == [("deskhand verify", "error")]
    assert console(*asked, "--name", "Bold").code == 0

    def interrupt(*_: object) -> None:
        assert _verdicts() == [("deskhand verify", "error")], "results of an earlier run are gone at once"
        raise KeyboardInterrupt

    monkeypatch.setattr("deskhand.cli.verify.run_async", interrupt)
    assert console(*asked, "--name", "Bold").code == 6
    assert _verdicts() == [("deskhand verify", "error")]


@pytest.mark.requires("snapshot.reference")
def test_a_reference_is_made_as_unknown_then_holds_and_its_change_is_accepted_on_request(
    console: Console, notes: Notes
) -> None:
    asked = ("verify", "--like", "notes.yaml", "--wait", "0")
    first = console(*asked)
    assert (first.code, first.out.splitlines()[0]) == (4, "unknown")
    assert "was made of the present window" in first.out
    assert console(*asked).code == 0
    notes.window.find("Bold").name = "Strong"
    other = console(*asked, "--report", "page.html")
    assert (other.code, other.out.splitlines()[1:]) == (
        1,
        ['  like: unsatisfied: checkbox "Bold" is now named "Strong"'],
    )
    page = Path("page.html").read_text()
    assert "is now named" in page
    assert "notes.yaml --update" in page
    assert console(*asked, "--update").code == 0
    assert console(*asked).code == 0
    wrong = console("verify", "--update", "--name", "Bold")
    assert (wrong.code, "--update needs --like" in wrong.err) == (2, True)


def _verdicts() -> list[tuple[str, str]]:
    return [
        (str(case.get("name")), next((part.tag for part in case if part.tag in {"failure", "error"}), "passed"))
        for case in ElementTree.parse("results.xml").iter("testcase")  # noqa: S314 - our own file
    ]


@pytest.mark.requires("cli.verify-checks")
@pytest.mark.usefixtures("notes")
def test_the_statements_of_a_file_are_checked_by_name(console: Console, tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "sales.txt").write_text("North 7")
    (folder / "checks.yaml").write_text(
        "bold is on: {shows: {role: checkbox, name: Bold}, states: checked}\n"
        "sales are saved: {file: sales.txt, contains: North}\n"
        "no message:\n  gone: {role: dialog}\n"
    )
    done = console("verify", "--checks", "tests/checks.yaml", "--wait", "0", "--json")
    names = [check["name"] for check in done.items("checks")]
    assert (done.code, names) == (0, ["bold is on: shows", "sales are saved: file", "no message: gone"])
    (folder / "sales.txt").write_text("South 7")
    tap = console("verify", "--checks", "tests/checks.yaml", "--wait", "0", "--tap")
    assert (tap.code, "not ok 2 - sales are saved: file" in tap.out, "1..3" in tap.out) == (1, True, True)


@pytest.mark.requires("cli.verify-checks")
@pytest.mark.usefixtures("notes")
def test_all_mistakes_in_a_file_of_statements_are_named_by_line(console: Console, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(
        "one: {shows: {rol: checkbox}}\ntwo: {state: checked}\nthree: {states: [checkd], shows: {name: x}}\nfour: {}\n"
    )
    done = console("verify", "--checks", "bad.yaml")
    assert done.code == 2
    lines = [line.partition("bad.yaml:")[2].partition(":")[0] for line in done.err.splitlines() if "bad.yaml:" in line]
    assert sorted(set(lines)) == ["1", "2", "3", "4"], done.err
    assert "did you mean 'states'" in done.err
    (tmp_path / "empty.yaml").write_text("")
    assert "nothing to check" in console("verify", "--checks", "empty.yaml").err
    assert "cannot read the checks" in console("verify", "--checks", "none.yaml").err
