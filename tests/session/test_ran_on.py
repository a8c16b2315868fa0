"""The record of what a session ran on, and of its documents before and after."""

import hashlib
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import DesktopGone
from deskhand.core.events import DocumentLeft, RanOn
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.machine import machine_facts
from deskhand.desktop.protocols.screen import ScreenInfo
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.ran_on import ran_on
from deskhand.store.audit import Verdict, audit
from deskhand.store.journal import read_events
from stage import assign, say, scripted

pytestmark = pytest.mark.requires("sessions.compared")


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """The facts are read on a thread, which takes time that passes."""
    return "asyncio"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def test_a_session_records_its_machine_and_its_documents_before_and_after(tmp_path: Path) -> None:
    document = tmp_path / "letter.odt"
    document.write_text("before")

    def show(_: FakeDesktop, file: Path | None) -> FakeWindow:
        assert file is not None
        opened_file = file

        def save() -> None:
            opened_file.write_text("after")

        return FakeWindow("Letter", [FakeControl(Role.BUTTON, "Save", on_click=save)])

    def opened(choice: str, session_id: str, root: Path) -> AbstractAsyncContextManager[FakeDesktop]:
        return nullcontext(FakeDesktop([FakeApplication("writer", show)]))

    answers = {"HostAgent": [assign("Letter", "Save it"), say("FINISH")]}
    plan = SessionPlan(
        session_id="s1",
        session_dir=tmp_path / "log",
        requests=("Save it",),
        model=scripted({**answers, "AppAgent/writer": [say("FINISH", "invoke", "Save", result="saved")]}),
        files=(document,),
        opens_with="writer",
        opens=opened,
    )
    with anyio.fail_after(20):
        await run_session(plan)
    events = list(read_events(tmp_path / "log"))
    facts = next(event.facts for event in events if isinstance(event, RanOn))
    assert facts["document letter.odt"] == digest("before")
    assert {"python", "kernel", "distribution"} <= facts.keys()
    (left,) = [event for event in events if isinstance(event, DocumentLeft)]
    assert left.digest == digest("after")
    assert audit(tmp_path / "log").verdict is Verdict.INTACT


def test_facts_of_the_desktop_s_programs_are_those_of_their_environment(tmp_path: Path) -> None:
    (tmp_path / "config" / "gtk-3.0").mkdir(parents=True)
    (tmp_path / "config" / "gtk-3.0" / "settings.ini").write_text("[Settings]\ngtk-theme-name=Adwaita\n")
    environment = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "LC_ALL": "de_DE.UTF-8"}
    facts = machine_facts(environment, ())
    assert (facts["theme"], facts["LC_ALL"]) == ("gtk-theme-name=Adwaita", "de_DE.UTF-8")
    assert "LANG" not in facts


def test_another_font_changes_the_digest_of_the_fonts(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    (tmp_path / ".fonts").mkdir()
    (tmp_path / ".fonts" / "a.ttf").write_text("one")
    before = machine_facts(environment, ())["fonts"]
    assert machine_facts(environment, ())["fonts"] == before
    (tmp_path / ".fonts" / "a.ttf").write_text("another")
    assert machine_facts(environment, ())["fonts"] != before


def test_documents_that_cannot_be_hashed_are_left_out_and_large_ones_named_by_size(tmp_path: Path) -> None:
    with (tmp_path / "film.mkv").open("wb") as file:
        file.truncate(9 << 20)
    facts = machine_facts({}, (tmp_path / "film.mkv", tmp_path / "nowhere.odt", tmp_path))
    documents = {name: value for name, value in facts.items() if name.startswith("document ")}
    assert [*documents] == ["document film.mkv"]
    assert documents["document film.mkv"].startswith(f"{9 << 20} bytes of ")


class Gone(FakeDesktop):
    async def screens(self) -> tuple[ScreenInfo, ...]:
        raise DesktopGone("it ended")


async def test_screens_that_cannot_be_read_are_left_out() -> None:
    assert not [name for name in (await ran_on(Gone(), ())).facts if name.startswith("screen")]
    assert [name for name in (await ran_on(FakeDesktop(), ())).facts if name.startswith("screen")]
