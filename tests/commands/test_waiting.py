"""`wait_for`: a text, a control, a window or a picture, within a time."""

from collections.abc import Callable
from functools import partial

import anyio
import pytest

from commands.bench import Bench, bench
from deskhand.commands.techniques.picture_changes import differs
from deskhand.core.command import Result
from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, ReplyDefect
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import COVERED
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.fake import FakeControl, FakeWindow

pytestmark = pytest.mark.requires("tool.wait-for")


class Page:
    """A window whose content changes while something waits for it."""

    def __init__(self) -> None:
        self.save = FakeControl(Role.BUTTON, "Save", states={"disabled"})
        self.name = FakeControl(Role.TEXTBOX, "Name", "Ada")
        self.label = FakeControl(Role.LABEL, "working")
        self.it: Bench = bench(self.save, self.name, self.label)

    def changes(self, change: Callable[[], object]) -> None:
        change()
        self.it.desktop.touch()

    async def wait(self, wanted: JsonObject, change: Callable[[], object] | None = None) -> Result:
        """Wait; the change comes once it waits."""
        results: list[Result] = []
        arguments: JsonObject = {"seconds": 5 if change else 0.05, **wanted}

        async def wait() -> None:
            results.append(await self.it.run("wait_for", None, **arguments))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            if change is not None:
                self.changes(change)
        return results[0]

    def dialog(self) -> None:
        self.it.desktop.open(FakeWindow("Saved", [], "app", dialog=True, owner=self.it.window))


def came_later(page: Page) -> dict[str, tuple[Callable[[], object], JsonObject, str]]:
    """Each kind of change, its wait, and the evidence."""
    it = page.it
    return {
        "text": (partial(setattr, page.label, "name", "All done"), {"text": "done"}, 'label "All done" shows "done"'),
        "pattern": (partial(setattr, page.name, "value", "Eve"), {"text": "/eve/i"}, 'textbox "Name" shows "/eve/i"'),
        "text gone": (partial(setattr, page.label, "name", ""), {"text": "working", "gone": True}, "is not among"),
        "control": (
            lambda: it.window.controls.append(FakeControl(Role.LINK, "Next")),
            {"role": "link"},
            'link "Next" shows',
        ),
        "state": (
            lambda: page.save.states.discard("disabled"),
            {"name": "Save", "state": "enabled"},
            'button "Save" shows and is enabled',
        ),
        "value": (partial(setattr, page.name, "value", "Eve"), {"name": "Name", "value": "Eve"}, '"Name" shows'),
        "control gone": (lambda: it.window.controls.remove(page.label), {"role": "label", "gone": True}, "is gone"),
        "window": (page.dialog, {"title": "saved", "role": "dialog"}, '"Saved" is open'),
        "picture": (partial(setattr, page.name, "value", "Grace"), {"picture": "changed"}, "the picture is changed"),
    }


@pytest.mark.parametrize("kind", came_later(Page()))
async def test_it_returns_what_came_and_reports_a_timeout_where_nothing_did(kind: str) -> None:
    page = Page()
    change, wanted, evidence = came_later(page)[kind]
    late = await page.wait(wanted)
    assert (late.ok, late.error.type if late.error else "") == (False, "WaitTimedOut"), late
    came = await page.wait(wanted, change)
    assert (came.ok, evidence in came.evidence) == (True, True), came


async def test_a_control_is_returned_with_its_id() -> None:
    page = Page()
    found = dict(pairs_of((await page.wait({"role": "textbox"})).result))
    assert (found["role"], found["name"], found["value"]) == ("textbox", "Name", "Ada")


async def test_a_window_that_closes_is_waited_for() -> None:
    page = Page()
    page.dialog()
    dialog = page.it.desktop.shown_windows[0]
    assert not (await page.wait({"title": "Saved", "gone": True})).ok
    assert (await page.wait({"title": "Saved", "gone": True}, lambda: page.it.desktop.close_window(dialog))).ok


async def test_a_picture_is_quiet_once_it_is_the_same_for_a_while() -> None:
    page = Page()
    assert (await page.wait({"picture": "quiet", "seconds": 5})).ok


async def test_what_cannot_be_read_is_not_there_and_not_gone() -> None:
    page = Page()
    unread: list[JsonObject] = [{"text": "done"}, {"text": "done", "gone": True}, {"role": "link", "gone": True}]
    for wanted in unread:
        page.it.desktop.faults.truncate_after = 1
        result = await page.wait(wanted)
        assert result.error is not None
        assert (result.error.type, "not known" in result.error.message) == ("WaitTimedOut", True), result
    page.it.desktop.faults.truncate_after = None
    page.it.desktop.faults.fail("observe", ApplicationUnresponsive("it hangs"), on_call=2)
    assert (await page.wait({"text": "working", "seconds": 5})).ok, "it may answer later"


@pytest.mark.parametrize("wanted", [{"text": "done"}, {"role": "link"}])
async def test_a_wait_ends_with_the_program_and_says_so(wanted: JsonObject) -> None:
    page = Page()
    began = anyio.current_time()
    page.it.desktop.open(FakeWindow("Other", [], "other"))
    result = await page.wait(
        {**wanted, "seconds": 60}, partial(page.it.desktop.faults.application_dies, page.it.window)
    )
    assert result.error is not None
    assert result.error.type == "ApplicationGone", result
    assert result.error.message == 'the window "Main" is gone, and its program has ended'
    assert anyio.current_time() - began < 10, "it ends with the program"


async def test_a_text_is_not_gone_while_its_window_is_open_and_does_not_answer() -> None:
    page = Page()
    page.it.desktop.faults.fail("observe", ApplicationGone("it starts"), on_call=2)
    assert not (await page.wait({"text": "working", "gone": True})).ok


async def test_a_text_that_was_read_before_another_window_covered_it_is_not_known() -> None:
    page = Page()
    page.label.states.add(COVERED)
    unknown: list[JsonObject] = [{"text": "working"}, {"text": "working", "gone": True}, {"name": "working"}]
    for wanted in unknown:
        result = await page.wait(wanted)
        assert result.error is not None
        assert 'it is not known: label "working" was read before' in result.error.message


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"text": "a", "title": "b"},
        {"role": "buton"},
        {"name": "Save", "state": "enabeld"},
        {"name": "Save", "state": "enabled", "gone": True},
        {"picture": "changed", "gone": True},
        {"title": "Main", "role": "button"},
        {"text": "a", "region": [0, 0, 1, 1]},
        {"text": "/(/"},
        {"title": "/(/"},
    ],
)
def test_what_cannot_be_waited_for_is_refused(wanted: JsonObject) -> None:
    with pytest.raises(ReplyDefect):
        Page().it.catalogue.validate("wait_for", wanted)


def test_a_caret_that_blinks_is_no_change_of_a_picture() -> None:
    place = Rect(0, 0, 40, 40)
    black = Picture(bytes(40 * 40 * 3), place)
    caret, block = bytearray(black.pixels), bytearray(black.pixels)
    for row in range(20):
        caret[row * 120 : row * 120 + 6] = b"\xff" * 6
        block[row * 120 : row * 120 + 30] = b"\xff" * 30
    assert not differs(black, Picture(bytes(caret), place))
    assert differs(black, Picture(bytes(block), place))
    assert differs(black, Picture(black.pixels, Rect(1, 0, 41, 40)))
