"""A plan on an open desktop, with the real journal and the real picture writer."""

import json
from contextlib import AbstractAsyncContextManager, nullcontext
from errno import EACCES
from pathlib import Path, PurePosixPath

import anyio
import pytest
from PIL import Image

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import LaunchFailed, UsageError
from deskhand.core.events import OutputWritten, PictureSaved, ProblemMet, SessionFinished, VerdictGiven
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.session.build import Ending, SessionPlan, run_on, run_session
from deskhand.session.clock import SystemClock
from deskhand.store.images import ImageWriter
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
    plan = SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=("Save my document",),
        model=model,
        configuration=Configuration(system=SYSTEM),
        **changes,  # pyright: ignore[reportArgumentType] - fields of the plan
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


@pytest.mark.requires("cli.file-copy")
async def test_a_file_is_opened_as_a_copy_unless_it_is_wanted_in_place(tmp_path: Path) -> None:
    original = tmp_path / "sales.odt"
    original.write_text("content")
    opened: list[Path | None] = []
    await carry_out(writer(opened), tmp_path / "one", files=(original,))
    await carry_out(writer(opened), tmp_path / "two", files=(original,), in_place=True)
    assert opened == [tmp_path / "one" / "documents" / "sales.odt", original]


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
    strange.touch()
    with pytest.raises(UsageError, match=r"nothing here opens 'a\.xyz'"):
        await carry_out(writer([]), tmp_path / "one", files=(strange,))
    with pytest.raises(UsageError, match="there is no application 'emacs'"):
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
