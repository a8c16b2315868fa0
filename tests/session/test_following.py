"""A window that closes and gives way to the next one of its program does not fail its subtask."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deskhand.core.events import ActionFinished, CheckRun, ProblemMet, WindowFollowed
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.scripted import ScriptedReply
from notes import prompt_of
from stage import Answer, Stage, assign, rule, say, stage

SHOP = "AppAgent/shop"


class Shop:
    """A program that asks for a log-in in a dialog; `OK` closes that and does what is given."""

    def __init__(self, *, owner: FakeWindow | None = None, then: Callable[[], object] = lambda: None) -> None:
        self.desktop = FakeDesktop()
        self.pressed: list[str] = []
        self.then = then
        if owner is not None:
            self.desktop.open(owner)
        ok = FakeControl(Role.BUTTON, "OK", on_click=self._answer)
        self.dialog = self.desktop.open(FakeWindow("Log in", [ok], "shop", dialog=True, owner=owner))
        self.desktop.running.add("shop")

    def _answer(self) -> None:
        self.desktop.close_window(self.dialog)
        self.then()

    def opens(self, title: str, application: str = "shop") -> FakeWindow:
        """A window with a button that says which one was pressed."""
        shown = FakeControl(Role.CHECKBOX, "Shown")

        def press() -> None:
            self.pressed.append(title)
            shown.states.add("checked")

        return self.desktop.open(
            FakeWindow(title, [FakeControl(Role.BUTTON, "Sell", on_click=press), shown], application)
        )

    def opens_later(self, title: str, looks: int = 4) -> None:
        """The window comes when the windows have been listed a few times."""

        def come() -> None:
            self.opens(title)

        self.desktop.faults.before("windows", come, on_call=looks)


def shop_stage(shop: Shop, replies: list[Answer], tmp_path: Path, host: list[Answer] | None = None) -> Stage:
    hands_out: list[Answer] = host or [assign("Log in", "Log in and sell"), say("FINISH")]
    return stage(shop.desktop, {"HostAgent": hands_out, SHOP: replies}, log_path=tmp_path)


PRESS_OK = say("CONTINUE", "invoke", "OK")
SELL = say("FINISH", "invoke", "Sell")


@pytest.mark.requires("session.follows-window")
async def test_an_agent_goes_on_in_the_window_that_comes_in_place_of_its_own(tmp_path: Path) -> None:
    shop = Shop()
    shop.then = lambda: shop.opens_later("Shop")
    shop.opens("Mail", "mail")
    it = shop_stage(shop, [PRESS_OK, SELL], tmp_path)
    ending = await it.run()
    assert (ending.outcome, shop.pressed, it.outcomes) == (Outcome.SUCCESS, ["Shop"], [Outcome.SUCCESS])
    assert [(e.closed, e.window) for e in it.events.of(WindowFollowed)] == [("Log in", "Shop")]
    second, host = it.model.requests[2], it.model.requests[3]
    assert second.window is not None
    assert second.window.name == "Shop"
    assert 'Your window "Log in" closed; continue in "Shop"' in prompt_of(second)
    assert '"Log in" closed after invoke(button "OK"); now open: "Shop", "Mail"' in prompt_of(host)
    assert it.events.of(ProblemMet) == []


@pytest.mark.requires("session.follows-window")
async def test_what_is_expected_to_show_is_looked_for_in_the_window_that_comes(tmp_path: Path) -> None:
    shop = Shop()
    shop.then = lambda: shop.opens_later("Shop")
    press = say("CONTINUE", "invoke", "OK", expect={"shows": {"role": "button", "name": "Sell"}})
    it = shop_stage(shop, [press, SELL], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert [(check.name, check.ok) for check in it.events.of(CheckRun)] == [("shows", True)]


@pytest.mark.requires("session.follows-window", "state.assign-reuse")
async def test_an_agent_that_followed_is_the_one_of_the_next_subtask_there(tmp_path: Path) -> None:
    shop = Shop()
    shop.then = lambda: shop.opens("Shop")
    host = [assign("Log in", "Log in"), assign("Shop", "Sell"), say("FINISH")]
    it = shop_stage(shop, [PRESS_OK, say("FINISH", result="in"), SELL], tmp_path, host)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert shop.pressed == ["Shop"]
    assert len({id(agent) for agent in it.host.appagent_dict.values()}) == 1


@pytest.mark.requires("session.follows-window")
@pytest.mark.parametrize("belongs", [True, False])
async def test_a_window_that_was_there_before_is_followed_only_where_the_dialog_belongs_to_it(
    tmp_path: Path, *, belongs: bool
) -> None:
    shop = Shop()
    before = shop.opens("Another shop")
    shop.dialog.owner = before if belongs else None
    if not belongs:
        tip = FakeWindow("Tip", [FakeControl(Role.BUTTON, "Sell")], "shop", dialog=True, owner=before)
        shop.then = lambda: shop.desktop.open(tip)
    it = shop_stage(shop, [PRESS_OK, SELL] if belongs else [PRESS_OK], tmp_path)
    await it.run()
    assert shop.pressed == (["Another shop"] if belongs else [])
    assert it.outcomes == [Outcome.SUCCESS if belongs else Outcome.FAILED]


@pytest.mark.requires("session.follows-window")
async def test_of_several_new_windows_none_is_followed_and_the_host_is_told_them(tmp_path: Path) -> None:
    shop = Shop()
    shop.then = lambda: [shop.opens("North"), shop.opens("South")]
    it = shop_stage(shop, [PRESS_OK], tmp_path)
    await it.run()
    assert (shop.pressed, it.outcomes) == ([], [Outcome.FAILED])
    told = 'the window "Log in" is gone, and no window of its program clearly replaces it; now open: '
    assert told + '"South", "North"' in it.context.previous_subtasks[0].error


@pytest.mark.requires("session.follows-window")
async def test_what_another_program_shows_is_not_followed(tmp_path: Path) -> None:
    shop = Shop()
    shop.then = lambda: shop.opens("Mail", "mail")
    it = shop_stage(shop, [PRESS_OK], tmp_path)
    await it.run()
    assert (shop.pressed, it.outcomes) == ([], [Outcome.FAILED])


@pytest.mark.requires("session.finished-by-closing")
@pytest.mark.parametrize("lies", [False, True])
async def test_a_subtask_whose_last_action_closes_its_window_is_finished(tmp_path: Path, *, lies: bool) -> None:
    """Also where the action's own effect was not seen."""
    shop = Shop()
    if lies:
        shop.desktop.faults.lie("do_action")
        shop.desktop.faults.before("do_action", shop.dialog.find("OK").on_click or (lambda: None))
    it = shop_stage(shop, [say("FINISH", "invoke", "OK", result="logged in")], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    [record] = it.context.previous_subtasks
    assert (record.outcome, record.result) == (Outcome.SUCCESS, "logged in")
    assert record.note == '"Log in" closed after invoke(button "OK"); now open: nothing'
    assert it.events.of(ProblemMet) == []


@pytest.mark.requires("session.finished-by-closing")
@pytest.mark.parametrize("status", ["FINISH", "CONTINUE"])
async def test_a_window_that_vanished_because_its_program_died_is_a_failure(tmp_path: Path, status: str) -> None:
    shop = Shop()
    shop.then = lambda: shop.desktop.faults.application_dies(shop.dialog)
    it = shop_stage(shop, [say(status, "invoke", "OK")], tmp_path)
    assert (await it.run()).outcome is Outcome.FAILED
    [record] = it.context.previous_subtasks
    assert record.outcome is Outcome.FAILED
    assert 'the window "Log in" is gone: its program died (signal 11)' in record.error


@pytest.mark.requires("session.finished-by-closing")
async def test_a_program_that_dies_right_after_its_window_closed_is_a_failure_too(tmp_path: Path) -> None:
    shop = Shop()
    shop.desktop.faults.before("program", lambda: shop.desktop.faults.application_dies(shop.dialog), on_call=2)
    it = shop_stage(shop, [say("FINISH", "invoke", "OK")], tmp_path)
    assert (await it.run()).outcome is Outcome.FAILED
    assert "its program died" in it.context.previous_subtasks[0].error


@pytest.mark.requires("session.finished-by-closing")
@pytest.mark.parametrize("again", [False, True])
async def test_a_crash_after_the_subtask_undoes_the_hosts_finish_until_another_subtask_is_done(
    tmp_path: Path, *, again: bool
) -> None:
    shop = Shop()

    def crash(request: ModelRequest) -> ScriptedReply:
        shop.desktop.faults.application_dies(shop.dialog)
        shop.opens("Mail", "mail")
        return say("FINISH")(request)

    repair = [assign("Mail", "Write"), say("FINISH")] if again else [say("FAIL", comment="it crashed")]
    host = [assign("Log in", "Log in"), crash, *repair]
    replies: dict[str, list[Answer]] = {"HostAgent": host, SHOP: [say("FINISH", "invoke", "OK")]}
    replies["AppAgent/mail"] = [say("FINISH")]
    it = stage(shop.desktop, replies, log_path=tmp_path)
    ending = await it.run()
    assert ending.outcome is (Outcome.SUCCESS if again else Outcome.FAILED)
    told = prompt_of([request for request in it.model.requests if request.agent_name == "HostAgent"][2])
    assert 'the window "Log in" is gone: its program died (signal 11)' in told


@pytest.mark.requires("session.finished-by-closing")
async def test_a_window_that_is_there_still_finishes_nothing(tmp_path: Path) -> None:
    shop = Shop()
    shop.dialog.find("OK").on_click = None
    it = shop_stage(shop, [say("FINISH", "invoke", "OK"), say("FAIL", comment="it does nothing")], tmp_path)
    assert (await it.run()).outcome is Outcome.FAILED


@pytest.mark.requires("session.follows-window", "state.assign-window-gone")
async def test_a_subtask_for_a_splash_screen_goes_to_the_window_that_follows_it(tmp_path: Path) -> None:
    shop = Shop()

    def hand_over(request: object) -> dict[str, str]:
        shop.desktop.close_window(shop.dialog)
        shop.opens_later("Shop")
        return {"status": "ASSIGN", "current_subtask": "Sell"}

    host = [say("CONTINUE", "select_application_window", "Log in"), hand_over, say("FINISH")]
    it = shop_stage(shop, [SELL], tmp_path, host)  # pyright: ignore[reportArgumentType] - replies of any kind
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert shop.pressed == ["Shop"]


BOOK = """\
playbook: 1
name: shop
host:
  - {on: {role: window, name: Shop}, status: ASSIGN, agent: seller, subtask: Sell}
  - {status: FINISH, result: sold}
agents:
  seller:
    - {tool: invoke, on: {role: button, name: Sell}, status: FINISH}
"""


def following_the_book(shop: Shop, tmp_path: Path) -> Stage:
    return stage(shop.desktop, PlaybookModel(parse_playbook(BOOK, "shop.yaml")), log_path=tmp_path)


@pytest.mark.requires("playbook.waits-for-window")
async def test_a_window_that_a_step_of_the_host_names_is_waited_for(tmp_path: Path) -> None:
    shop = Shop()
    shop.opens_later("Shop", looks=2)
    it = following_the_book(shop, tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert shop.pressed == ["Shop"]
    assert [e.tool for e in it.events.of(ActionFinished) if e.agent == "HostAgent"] == [
        "wait_for",
        "select_application_window",
    ]


@pytest.mark.requires("playbook.waits-for-window")
async def test_a_window_that_does_not_come_stops_the_playbook_with_those_that_are_open(tmp_path: Path) -> None:
    it = following_the_book(Shop(), tmp_path)
    ending = await it.run()
    assert ending.outcome is Outcome.FAILED
    assert ending.reason.endswith(
        'shop.yaml:4: host step 1 (select_application_window): wanted window "Shop"; open are: dialog "Log in" [1]'
    )
    [waited] = [e for e in it.events.of(ActionFinished) if e.tool == "wait_for"]
    assert waited.error is not None
    assert waited.error.type == "WaitTimedOut"
    assert waited.error.message == 'after 10 s no window is called "Shop"; open are: "Log in"'


@pytest.mark.requires("playbook.waits-for-window")
@pytest.mark.parametrize("step", ["{app: nothere}", "{tool: launch_application, args: {file: /no/such.odt}}"])
async def test_a_launch_that_is_refused_stops_the_playbook_at_once(tmp_path: Path, step: str) -> None:
    book = BOOK.replace("host:\n", f"host:\n  - {step}\n")
    it = stage(
        Shop().desktop,
        PlaybookModel(parse_playbook(book, "shop.yaml")),
        log_path=tmp_path,
        rules=rule("{effect_class: launch}", "allow"),
    )
    ending = await it.run()
    assert (ending.outcome, "shop.yaml:4: host step 1 (launch_application): there is no " in ending.reason) == (
        Outcome.FAILED,
        True,
    ), ending
    assert [e.tool for e in it.events.of(ActionFinished)] == ["launch_application"]
