"""A plan on an open desktop, with the real journal and the real picture writer."""

import json
import os
from contextlib import AbstractAsyncContextManager, nullcontext
from errno import EACCES
from pathlib import Path, PurePosixPath

import anyio
import pytest
from PIL import Image

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import ApplicationUnknown, LaunchFailed, NothingOpens, UsageError
from deskhand.core.events import DocumentLeft, OutputWritten, PictureSaved, ProblemMet, SessionFinished, VerdictGiven
from deskhand.core.model import ModelRequest, TextPart
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.session.build import Ending, SessionPlan, run_on, run_session
from deskhand.session.clock import SystemClock
from deskhand.store.image_writer import ImageWriter
from deskhand.store.journal import Journal, read_events
from stage import Answer, assign, say, scripted


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


SAVE: list[Answer] = [say("FINISH", "invoke", "Save", result="saved")]
SYSTEM = SystemSection(save_full_screen=True, concat_screenshot=True)


def writer(opened: list[Path | None]) -> FakeDesktop:
    """An application `writer` with one button, that notes which document it was opened with."""

    def open_document(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        opened.append(file)
        box = FakeControl(Role.CHECKBOX, "Saved")
        save = FakeControl(Role.BUTTON, "Save", on_click=lambda: box.states.add("checked"))
        return FakeWindow("Document", [save, box])

    return FakeDesktop([FakeApplication("writer", open_document)])


def files_in(folder: Path) -> set[str]:
    """Pictures and trees, by their path in the folder."""
    found = (path for path in folder.rglob("*") if path.suffix in {".png", ".json"})
    return {path.relative_to(folder).as_posix() for path in found}


async def carry_out(desktop: FakeDesktop, folder: Path, **changes: object) -> Ending:
    model = scripted({"HostAgent": [assign("Document", "Save it"), say("FINISH")], "AppAgent/writer": SAVE})
    usual = {"model": model, "configuration": Configuration(system=SYSTEM)}
    plan = SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=("Save my document",),
        **{**usual, **changes},  # pyright: ignore[reportArgumentType] - fields of the plan
    )
    clock = SystemClock()
    with anyio.fail_after(20), Journal(folder, clock) as journal:
        async with ImageWriter(journal) as images:
            return await run_on(plan, desktop, journal, clock, images)


@pytest.mark.requires("pipeline.step-files", "pipeline.final-pictures", "observe.one-moment")
async def test_every_step_leaves_its_files_under_the_documented_names(tmp_path: Path) -> None:
    desktop = writer([])
    ending = await carry_out(desktop, tmp_path, applications=("writer",))
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    assert files_in(tmp_path) == {
        "desktop_step1.png",
        "action_step2.png",
        "action_step2_annotated.png",
        "action_step2_concat.png",
        "action_step2_selected_controls.png",
        "desktop_step2.png",
        "desktop_step3.png",
        "ui_trees/ui_tree_step2.json",
        "action_round_1_sub_round_1_final.png",
        "action_round_1_final.png",
    }
    tree = json.loads((tmp_path / "ui_trees" / "ui_tree_step2.json").read_text())
    assert [child["name"] for child in tree["children"]] == ["Save", "Saved"]
    with Image.open(tmp_path / "action_step2.png") as clean, Image.open(tmp_path / "action_step2_concat.png") as both:
        assert clean.size == (320, 200)
        assert both.width > 2 * clean.width
    told = {event.path for event in read_events(tmp_path) if isinstance(event, PictureSaved)}
    assert all((tmp_path / path).is_file() for path in told)
    looked = [call for call in desktop.calls_of("observe") if call.arguments["picture"]]
    assert len(looked) == 1


@pytest.mark.requires("pipeline.step-files")
async def test_a_tree_that_cannot_be_written_is_told_and_the_session_goes_on(tmp_path: Path) -> None:
    (tmp_path / "ui_trees").touch()
    ending = await carry_out(writer([]), tmp_path, applications=("writer",))
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    [problem] = [event for event in read_events(tmp_path) if isinstance(event, ProblemMet)]
    assert problem.error.type == "StoreError"
    assert f"{tmp_path}/ui_trees" in problem.error.message


@pytest.mark.requires("round.budgets")
async def test_a_wait_ends_with_the_time_of_the_session(tmp_path: Path) -> None:
    """It would last longer than the test may."""
    forever = say("CONTINUE", "wait_for", args={"title": "Nothing", "seconds": 60})
    model = scripted({"HostAgent": [forever] * 3})
    limits = Configuration(system=SystemSection(max_seconds=0.5))
    ending = await carry_out(writer([]), tmp_path, model=model, configuration=limits)
    assert (ending.outcome, ending.reason) == (Outcome.TIMEOUT, "0.5 seconds are used up (max_seconds)")


@pytest.mark.requires("cli.file-copy")
async def test_a_file_is_opened_as_a_copy_unless_it_is_wanted_in_place(tmp_path: Path) -> None:
    original = tmp_path / "sales.odt"
    original.write_text("content")
    opened: list[Path | None] = []
    await carry_out(writer(opened), tmp_path / "one", files=(original,))
    await carry_out(writer(opened), tmp_path / "two", files=(original,), in_place=True)
    assert opened == [tmp_path / "one" / "documents" / "sales.odt", original]


@pytest.mark.requires("applications.locks")
@pytest.mark.parametrize("name", ["letter.odt", "offer.docx", "notes.txt"])
async def test_a_file_that_another_user_has_open_is_refused_in_place_and_copied_otherwise(
    name: str, tmp_path: Path
) -> None:
    original = tmp_path / name
    original.write_text("content")
    (tmp_path / f".~lock.{name}#").write_text("Dana Example,dana,pc,24.11.2026 16:10,file:///x;")
    opened: list[Path | None] = []
    with pytest.raises(UsageError, match=f"{name} is locked: Dana Example .dana. on pc since 24.11.2026 16:10"):
        await carry_out(writer(opened), tmp_path / "one", files=(original,), in_place=True)
    assert opened == []
    await carry_out(writer(opened), tmp_path / "two", files=(original,))
    assert opened == [tmp_path / "two" / "documents" / name]
    (problem,) = [event for event in read_events(tmp_path / "two") if isinstance(event, ProblemMet)]
    assert (problem.error.type, "Dana Example" in problem.error.message) == ("DocumentLocked", True)


@pytest.mark.requires("applications.files")
async def test_files_folders_and_the_object_open_in_the_application_that_is_named_for_them(tmp_path: Path) -> None:
    """The folder as a copy too, but not one with too much in it, nor one that holds what is no file."""
    things = tmp_path / "things"
    (things / "below").mkdir(parents=True)
    (things / "below" / "a.bin").write_bytes(b"\0")
    picture = tmp_path / "b.bin"
    picture.write_bytes(b"\0")
    opened: list[Path | None] = []
    log, wanted = tmp_path / "one", {"files": (things,), "object": picture, "opens_with": "LibreOffice Writer"}
    await carry_out(writer(opened), log, **wanted, applications=("writer",))
    assert opened == [log / "documents" / "things", log / "documents" / "b.bin"]
    assert (log / "documents" / "things" / "below" / "a.bin").read_bytes() == b"\0"
    left = {event.path: event.changed for event in read_events(log) if isinstance(event, DocumentLeft)}
    assert left == {str(things): None, str(picture): False}, "a folder's files are not looked into"

    os.mkfifo(things / "pipe")
    with pytest.raises(UsageError, match="cannot be copied") as refused:
        await carry_out(writer(opened), tmp_path / "two", **wanted)
    assert "--in-place" in refused.value.fix
    (things / "pipe").unlink()
    with (things / "large").open("wb") as large:
        large.truncate((1 << 30) + 1)
    with pytest.raises(UsageError, match="1024 MiB"):
        await carry_out(writer(opened), tmp_path / "three", **wanted)
    assert len(opened) == 2


@pytest.mark.requires("cli.file-copy")
async def test_files_of_one_name_are_opened_as_copies_of_their_own(tmp_path: Path) -> None:
    files = tuple(tmp_path / place / "sales.odt" for place in "abc")
    for file in files:
        file.parent.mkdir()
        file.write_text(f"of {file.parent.name}")
    opened: list[Path | None] = []
    await carry_out(writer(opened), tmp_path / "log", files=files[:2], object=files[2])
    copies = [path for path in opened if path is not None]
    assert [path.read_text() for path in copies] == ["of a", "of b", "of c"]
    assert [path.name for path in copies] == ["sales.odt", "sales (2).odt", "sales (3).odt"]


class Forbidden(PurePosixPath):
    """The path of a file in a folder that nobody may look into."""

    def exists(self) -> bool:
        raise PermissionError(EACCES, "Permission denied")


async def test_an_output_that_cannot_be_looked_for_keeps_no_session_from_its_end(tmp_path: Path) -> None:
    def opened(choice: str, session_id: str, root: Path) -> AbstractAsyncContextManager[FakeDesktop]:
        return nullcontext(writer([]))

    (there := tmp_path / "there.ods").touch()
    plan = SessionPlan(
        session_id="s1",
        session_dir=tmp_path / "log",
        requests=("Do it",),
        model=scripted({"HostAgent": [say("FINISH")]}),
        opens=opened,
        outputs=(Forbidden("/root/out.ods"), there),  # pyright: ignore[reportArgumentType] - a path but for its file
    )
    with anyio.fail_after(20):
        assert (await run_session(plan)).outcome is Outcome.SUCCESS
    *_, problem, output, end = read_events(tmp_path / "log")
    assert isinstance(problem, ProblemMet)
    assert "/root/out.ods: Permission denied" in problem.error.message
    assert isinstance(output, OutputWritten)
    assert isinstance(end, SessionFinished)


async def test_what_nobody_opens_and_what_no_registry_knows_is_a_usage_error(tmp_path: Path) -> None:
    strange = tmp_path / "a.xyz"
    strange.write_bytes(b"\0")
    with pytest.raises(NothingOpens, match=r"nothing on this machine opens 'a\.xyz' \(its type is application/octet-"):
        await carry_out(writer([]), tmp_path / "one", files=(strange,))
    with pytest.raises(ApplicationUnknown, match="there is no application 'emacs'"):
        await carry_out(writer([]), tmp_path / "two", applications=("emacs",))
    with pytest.raises(LaunchFailed):
        await carry_out(FakeDesktop(), tmp_path / "three", applications=("writer",))


@pytest.mark.requires("round.several")
async def test_an_application_may_be_launched_once_a_request_named_it(tmp_path: Path) -> None:
    launch = say("CONTINUE", "launch_application", args={"application": "writer"})
    desktop = writer([])
    plan = SessionPlan(
        session_id="s1",
        session_dir=tmp_path,
        requests=("Write something", "In writer, I meant"),
        model=scripted({"HostAgent": [launch, launch, say("FINISH")]}),
    )
    clock = SystemClock()
    with anyio.fail_after(20), Journal(tmp_path, clock) as journal:
        async with ImageWriter(journal) as images:
            ending = await run_on(plan, desktop, journal, clock, images)
    assert ending.outcome is Outcome.TIMEOUT
    assert [event.decision for event in read_events(tmp_path) if isinstance(event, VerdictGiven)] == [
        "confirm",
        "allow",
    ]
    assert len(desktop.calls_of("launch")) == 1


def two_windows(opened: list[Path | None]) -> FakeDesktop:
    """An application `writer` whose windows are called after their documents; "Save" writes into the document."""

    def open_document(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        opened.append(file)
        title = file.name if file else "Untitled"
        box = FakeControl(Role.CHECKBOX, "Saved")

        def save() -> None:
            box.states.add("checked")
            if file is not None:
                file.write_text("saved")

        return FakeWindow(f"{title} - Writer", [FakeControl(Role.BUTTON, "Save", on_click=save), box])

    return FakeDesktop([FakeApplication("writer", open_document)])


@pytest.mark.requires("session.documents")
async def test_the_host_and_the_user_are_told_which_file_is_where(tmp_path: Path) -> None:
    files = (tmp_path / "a.odt", tmp_path / "b.odt")
    for file in files:
        file.write_text("as it was")
    asked: list[ModelRequest] = []

    def note(answer: Answer) -> Answer:
        return lambda request: (asked.append(request), answer(request))[1]

    model = scripted(
        {
            "HostAgent": [note(assign("b.odt - Writer", "Save it")), note(say("FINISH"))],
            "AppAgent/writer": [note(say("FINISH", "invoke", "Save", result="saved"))],
        }
    )
    folder = tmp_path / "log"
    plan = SessionPlan(session_id="s1", session_dir=folder, requests=("Save b",), model=model, files=files)
    clock = SystemClock()
    with anyio.fail_after(20), Journal(folder, clock) as journal:
        async with ImageWriter(journal) as images:
            await run_on(plan, two_windows([]), journal, clock, images)

    copies = [str(folder / "documents" / name) for name in ("a.odt", "b.odt")]
    host = asked[0]
    assert [(d.path, d.copy) for d in host.documents] == [(str(f), c) for f, c in zip(files, copies, strict=True)]
    assert [d.window and d.window.name for d in host.documents] == ["a.odt - Writer", "b.odt - Writer"]
    assert host.folder == str(folder / "documents")
    prompt = "\n".join(part.text for part in host.messages[1].parts if isinstance(part, TextPart))
    labels = {control.name: control.id for control in host.controls}
    assert f"The user's file {files[1]} is worked on in its copy b.odt\n" in prompt
    assert f'{copies[1]} is shown in window {labels["b.odt - Writer"]} "b.odt - Writer"' in prompt
    assert f"Copies and new files are in {folder / 'documents'}" in prompt
    assert asked[1].documents == host.documents
    app = "\n".join(part.text for part in asked[1].messages[1].parts if isinstance(part, TextPart))
    assert f"Copies and new files are in {folder / 'documents'}" in app
    assert summarise(folder).to_json()["documents"] == [
        {"path": str(files[0]), "copy": copies[0], "window": "a.odt - Writer", "changed": False},
        {"path": str(files[1]), "copy": copies[1], "window": "b.odt - Writer", "changed": True},
    ]
    assert f"{files[1]}: changed in its copy {copies[1]}" in render_markdown(folder).replace("\\", "")


@pytest.mark.requires("session.documents")
async def test_a_file_that_is_launched_where_it_is_is_one_of_the_users_too(tmp_path: Path) -> None:
    (file := tmp_path / "a.odt").write_text("as it was")
    launch = say("CONTINUE", "launch_application", args={"application": "writer", "file": str(file)})
    model = scripted(
        {
            "HostAgent": [launch, assign("a.odt - Writer", "Save it"), say("FINISH")],
            "AppAgent/writer": [say("FINISH", "invoke", "Save", result="saved")],
        }
    )
    folder = tmp_path / "log"
    plan = SessionPlan(session_id="s1", session_dir=folder, requests=("With writer, save it",), model=model)
    clock = SystemClock()
    with anyio.fail_after(20), Journal(folder, clock) as journal:
        async with ImageWriter(journal) as images:
            await run_on(plan, two_windows([]), journal, clock, images)
    assert summarise(folder).to_json()["documents"] == [
        {"path": str(file), "copy": str(file), "window": "a.odt - Writer", "changed": True}
    ]
    assert not (folder / "documents").exists()


@pytest.mark.requires("session.asked-at-opening")
async def test_what_a_program_asks_at_opening_goes_to_the_agents(tmp_path: Path) -> None:
    files = (tmp_path / "a.csv", tmp_path / "b.csv")
    for file in files:
        file.write_text("1;2")

    def open_document(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        if desktop.shown_windows:
            raise LaunchFailed("calc showed no new window")
        ok = FakeControl(Role.BUTTON, "OK")
        asks = FakeWindow("Import", [ok], dialog=True)

        def answer() -> None:
            desktop.open(FakeWindow("a.csv", application="calc"))
            desktop.close_window(asks)

        ok.on_click = answer
        return asks

    host = [assign("Import", "Import it"), say("FINISH")]
    model = scripted({"HostAgent": host, "AppAgent/calc": [say("FINISH", "invoke", "OK")]})
    plan = SessionPlan(session_id="s1", session_dir=tmp_path / "log", requests=("x",), model=model, files=files)
    clock = SystemClock()
    with anyio.fail_after(20), Journal(plan.session_dir, clock) as journal:
        async with ImageWriter(journal) as images:
            desktop = FakeDesktop([FakeApplication("calc", open_document)])
            ending = await run_on(plan, desktop, journal, clock, images)
    assert ending.outcome is Outcome.SUCCESS
    problems = [event for event in read_events(plan.session_dir) if isinstance(event, ProblemMet)]
    assert (problems[0].where, problems[0].error.type) == (f"opening {files[1]}", "LaunchFailed")
    assert [document.window for document in summarise(plan.session_dir).documents] == ["a.csv", ""]
