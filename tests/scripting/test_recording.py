"""The record of a script: a session whose journal, page, outline and audit are those of other sessions."""

from pathlib import Path

import pytest
from PIL import Image

from deskhand import ActionFailed, ExpectationFailed, Window, expect
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import ElementNotFound, UsageError
from deskhand.core.events import ActionIntended, ControlsListed, Event, PictureSaved, SessionFinished
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.report.differences import compare
from deskhand.report.html import render_report
from deskhand.report.overview import outline
from deskhand.scripting import on_open_desktop
from deskhand.store.audit import Verdict, audit
from deskhand.store.journal import read_events

pytestmark = pytest.mark.requires("python.recorded")

TYPED = "correct horse"
KEYS = "battery staple"


class Notes:
    """A window with a field, a password, a button, and one that the rules want approved."""

    def __init__(self) -> None:
        self.memory = FakeDesktop()
        self.field = FakeControl(Role.TEXTBOX, "Name")
        self.status = FakeControl(Role.STATUS, "Last", "none")
        self.seen_at_press: list[Event] = []
        self.folder = Path()
        store = FakeControl(Role.BUTTON, "Store", on_click=self._stored)
        buttons = [store, FakeControl(Role.BUTTON, "Buy now")]
        self.memory.open(
            FakeWindow("Notes", [self.field, FakeControl(Role.PASSWORD, "Secret"), *buttons, self.status], "notes")
        )
        self.desktop = on_open_desktop(
            self.memory, timeout_s=0.1, configuration=Configuration(system=SystemSection(effect_hold_s=0.05))
        )

    def _stored(self) -> None:
        self.seen_at_press = list(read_events(self.folder))
        self.status.value = f"stored {self.field.value}"

    async def window(self) -> Window:
        return await self.desktop.window("Notes")

    async def works(self, folder: Path, name: str = "Ada") -> None:
        """Record a script that succeeds."""
        self.folder = folder
        window = await self.window()
        async with self.desktop.recorded(folder, "Sign up"):
            await window.textbox("Name").fill(name)
            await window.button("Store").press()
            await expect(window.locator("status")).to_have_value(f"stored {name}")


def red_box(picture: Path) -> Rect:
    """Return the place of the frame in a picture."""
    with Image.open(picture) as image:
        places = [(x, y) for x in range(image.width) for y in range(image.height)]
        red = [place for place in places if image.getpixel(place) == (235, 20, 20)]
    columns, rows = [x for x, _ in red], [y for _, y in red]
    return Rect(min(columns), min(rows), max(columns) + 1, max(rows) + 1)


def kinds(folder: Path) -> list[str]:
    return [event.kind for event in read_events(folder)]


def ending(folder: Path) -> SessionFinished:
    return next(event for event in read_events(folder) if isinstance(event, SessionFinished))


async def test_actions_and_expectations_are_steps_and_an_intent_is_written_before_its_action(tmp_path: Path) -> None:
    notes = Notes()
    await notes.works(tmp_path / "log")
    last = notes.seen_at_press[-1]
    assert isinstance(last, ActionIntended), "the button was pressed after that"
    assert (last.tool, last.target and last.target.name) == ("invoke", "Store")
    acted = ["step_started", "observation_taken", "action_intended", "action_finished", "step_finished"]
    expected = ["step_started", "check_run", "step_finished"]
    assert kinds(tmp_path / "log") == ["session_started", "ran_on", *acted, *acted, *expected, "session_finished"]
    assert ending(tmp_path / "log").outcome == "success"
    assert audit(tmp_path / "log").verdict is Verdict.INTACT
    shown, lines = outline(tmp_path / "log")
    assert (shown["request"], shown["outcome"]) == ("Sign up", "success")
    assert '      status of "Notes" to have the value "stored Ada": ok' in lines
    page = render_report(tmp_path / "log")
    assert "Sign up" in page
    assert "Model" not in page, "a script has none"
    await Notes().works(tmp_path / "again")
    await Notes().works(tmp_path / "other", "Grace")
    assert compare(tmp_path / "log", tmp_path / "again").same
    different = compare(tmp_path / "log", tmp_path / "other")
    assert different.acted is not None
    assert different.acted.step == 1


async def test_a_failed_expectation_has_a_picture_with_the_nearest_control_framed_and_the_controls(
    tmp_path: Path,
) -> None:
    notes = Notes()
    window = await notes.window()
    with pytest.raises(ExpectationFailed) as caught:
        async with notes.desktop.recorded(tmp_path / "log", "Sign up"):
            await expect(window.button("Stare")).to_be_visible()
    picture = caught.value.unmet.picture
    assert picture is not None
    assert str(picture) in str(caught.value)
    store = next(control for control in (await window.observe()).controls if control.name == "Store")
    frame = red_box(picture).moved(window.info.rect.left, window.info.rect.top)
    assert frame.contains(store.rect.center)
    assert frame.width < 2 * store.rect.width
    events = list(read_events(tmp_path / "log"))
    listed = next(event for event in events if isinstance(event, ControlsListed))
    assert 'button "Store"' in listed.text
    assert (tmp_path / "log" / listed.path).read_text(encoding="utf-8") == listed.text
    assert len([event for event in events if isinstance(event, PictureSaved)]) == 1
    end = ending(tmp_path / "log")
    assert (end.outcome, end.error and end.error.type) == ("failed", "ExpectationFailed")
    assert end.reason == caught.value.message.partition("\n")[0]
    assert audit(tmp_path / "log").verdict is Verdict.INTACT
    assert "Controls of" in render_report(tmp_path / "log")


async def test_other_failures_have_their_step_and_a_caught_one_does_not_fail_the_session(tmp_path: Path) -> None:
    notes = Notes()
    window = await notes.window()
    async with notes.desktop.recorded(tmp_path / "log", "Shop", pictures=True):
        with pytest.raises(ActionFailed):
            await window.button("Buy now").press()
        with pytest.raises(ElementNotFound):
            await window.button("Sell").press(timeout_s=0)
    events = list(read_events(tmp_path / "log"))
    assert not [event for event in events if isinstance(event, ActionIntended)], "a rule refused it"
    results = [event.evidence or event.kind for event in events if event.kind == "action_finished"]
    assert len(results) == 2
    assert 'has no button "Sell"' in results[1]
    pictures = [event.what for event in events if isinstance(event, PictureSaved)]
    assert pictures == ["selected", "final", "final"]
    assert ending(tmp_path / "log").outcome == "success"


async def test_an_error_of_the_script_ends_the_session_with_a_picture_of_the_desktop(tmp_path: Path) -> None:
    notes = Notes()

    async def script() -> None:
        async with notes.desktop.recorded(tmp_path / "log", "Sum"):
            assert 6 * 7 == 43, "the sum"

    with pytest.raises(AssertionError, match="the sum"):
        await script()
    end = ending(tmp_path / "log")
    assert (end.outcome, end.error and end.error.type) == ("failed", "AssertionError")
    (picture,) = [event for event in read_events(tmp_path / "log") if isinstance(event, PictureSaved)]
    with Image.open(tmp_path / "log" / picture.path) as image:
        assert image.size == (notes.memory.screen.width, notes.memory.screen.height)


async def test_a_typed_password_is_hidden_where_the_record_is_shown(tmp_path: Path) -> None:
    notes = Notes()
    window = await notes.window()
    async with notes.desktop.recorded(tmp_path / "log", "Sign in"):
        await window.textbox("Secret").fill(TYPED, check=False)
        await window.textbox("Name").fill("Ada")
        await window.press_keys(KEYS, check=False)
    assert KEYS not in render_report(tmp_path / "log"), "they may go to the password"
    assert TYPED not in render_report(tmp_path / "log")
    assert not [line for line in outline(tmp_path / "log")[1] if TYPED in line]
    assert "Ada" in render_report(tmp_path / "log")


async def test_each_recording_has_a_folder_of_its_own(tmp_path: Path) -> None:
    notes = Notes()
    await notes.works(tmp_path / "log")
    with pytest.raises(UsageError, match="has a session already"):
        await notes.works(tmp_path / "log")
    async with notes.desktop.recorded(tmp_path / "one", "One"):
        with pytest.raises(UsageError, match="recorded already"):
            await notes.works(tmp_path / "two")
