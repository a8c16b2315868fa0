"""Random programs of a whole session: what the models say, what people do, what goes wrong, and when it is cancelled.

A program is a list of events, played through a session from outside; its machine is not stepped by hypothesis. A
`RuleBasedStateMachine` would have to hold the session's coroutine between its rules; as lists, the same events
shrink as well, and everything runs in one event loop.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.lowlevel
from hypothesis import strategies as st

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    DesktopGone,
    ElementStale,
    ModelUnavailable,
)
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply, ModelRequest, PictureLimits
from deskhand.core.ports import Answers, ConfirmationRequest
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.session.round import Ending
from jumping_loop import JumpingLoop
from notes import Notes
from stage import Stage, stage

T = TypeVar("T")
RULES: Final = """
policy: 1
rules:
  - {name: ask first, match: {name: Delete}, decision: confirm, reason: it deletes}
  - {name: ask the host first, match: {tool: select_application_window, window: Other}, decision: confirm, reason: test}
  - {name: never, match: {name: Forbidden}, decision: deny, reason: it is forbidden}
"""

PRESS: Final[JsonObject] = {"function": "invoke", "on": "Save"}
DELETE: Final[JsonObject] = {"function": "invoke", "on": "Delete"}
ASK: Final[JsonObject] = {"status": "PENDING", "questions": ["Which?"]}
UNUSABLE: Final[tuple[JsonObject, ...]] = (
    {},
    {"status": ""},
    {"status": "WAITING"},
    {"status": "CONTINUE", "function": "no_such_tool"},
    {"status": "CONTINUE", "function": "invoke", "control_label": "999"},
    {"status": "CONTINUE", "function": "invoke", "on": "Save", "control_text": "another name"},
    {"status": "CONTINUE", "function": "invoke", "on": "Save", "args": {"unknown": 1}},
    {"status": "CONTINUE", "function": "set_edit_text", "on": "Text", "args": {"text": {"from": "nothing"}}},
    {"status": ["CONTINUE"], "plan": 7},
    {"status": "PENDING"},
    {"status": "CONFIRM"},
)
APP_SAYS: Final[tuple[tuple[int, JsonObject], ...]] = (
    (8, {"status": "CONTINUE", **PRESS}),
    (3, {"status": "continue ", "function": "set_edit_text", "on": "Text", "args": {"text": "new"}}),
    (2, {"status": "CONTINUE", "actions": [PRESS, {"function": "invoke", "on": "Tidy"}]}),
    (2, {"status": "CONTINUE", "actions": [PRESS, DELETE]}),
    (2, {"status": "SCREENSHOT", **PRESS}),
    (2, {"status": "SCREENSHOT", "control_reannotate": ["1"]}),
    (1, {"status": "CONTINUE", "control_reannotate": ["1"]}),
    (2, {"status": "CONTINUE", "function": "invoke", "on": "Quiet"}),
    (2, {"status": "CONTINUE", "function": "texts", "on": "Text", "save_as": "text"}),
    (1, {"status": "CONTINUE", "function": "set_edit_text", "on": "Text", "args": {"text": {"from": "text"}}}),
    (2, {"status": "CONTINUE", **PRESS, "expect": {"window": "no such window"}}),
    (3, {"status": "CONTINUE", **DELETE}),
    (1, {"status": "FINISH", **DELETE}),
    (2, {"status": "CONFIRM", "function": "invoke", "on": "Tidy"}),
    (1, {"status": "CONTINUE", "function": "invoke", "on": "Forbidden"}),
    (2, {"status": "DONE", **PRESS, "result": "saved"}),
    (2, {"status": "FINISH", "result": "nothing to do"}),
    (1, {"status": "FINISH", "function": "invoke", "on": "Quiet"}),
    (2, ASK),
    (1, {**ASK, **PRESS}),
    (2, {"status": "FAIL", "comment": "cannot"}),
    (1, {"status": "ERROR"}),
)
HOST_SAYS: Final[tuple[tuple[int, JsonObject], ...]] = (
    (12, {"status": "ASSIGN", "on": "Notes", "current_subtask": "Write"}),
    (3, {"status": "DELEGATE", "on": "Other", "current_subtask": "Go"}),
    (1, {"status": "ASSIGN", "current_subtask": "Whatever was chosen before"}),
    (2, {"status": "CONTINUE", "function": "select_application_window", "on": "Notes"}),
    (1, {"status": "CONTINUE", "function": "launch_application", "args": {"application": "calc"}}),
    (
        1,
        {
            "status": "ASSIGN",
            "function": "launch_application",
            "args": {"application": "calc"},
            "current_subtask": "Add",
        },
    ),
    (1, {"status": "CONFIRM", "function": "select_application_window", "on": "Notes"}),
    (3, {"status": "FINISH", "result": "done"}),
    (1, {"status": "CONTINUE"}),
    (1, ASK),
    (1, {"status": "FAIL"}),
)


def _says(weighted: tuple[tuple[int, JsonObject], ...]) -> st.SearchStrategy[JsonObject | Exception]:
    """Mostly what can be used: a session whose first reply is hopeless has little to show."""
    said: list[JsonObject | Exception] = [reply for weight, reply in weighted for _ in range(2 * weight)]
    return st.sampled_from([*said, *UNUSABLE, ModelUnavailable("no connection"), ZeroDivisionError("a bug")])


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong in the n-th call of a method of the desktop."""

    method: str
    on_call: int
    how: str


@dataclass(frozen=True, slots=True)
class Program:
    """Everything outside the session. Replies are used in turn, from the start again where they run out.

    `decides` None: the person never decides. `cancel_at`: after so many turns of the event loop.
    """

    app_says: Sequence[JsonObject | Exception]
    host_says: Sequence[JsonObject | Exception]
    decides: Sequence[bool | Exception | None]
    answers: Sequence[str | Exception | None]
    faults: Sequence[Fault] = ()
    cancel_at: int | None = None
    requests: int = 1
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


ERRORS: Final = {
    "no picture": CaptureFailed,
    "gone": ApplicationGone,
    "silent": ApplicationUnresponsive,
    "stale": ElementStale,
    "refused": ActionRefused,
    "desktop gone": DesktopGone,
    "bug": ZeroDivisionError,
}
FAULTS: Final = st.builds(
    Fault,
    st.sampled_from(["observe", "resolve", "do_action", "set_text", "windows", "screenshot", "settle", "activate"]),
    st.integers(1, 40),
    st.sampled_from([*ERRORS, "hangs", "lies", "window closes", "application dies", "window comes back"]),
)
LINE_DEAD: Final = ConnectionError("the line is dead")
SETTINGS: Final = st.fixed_dictionaries(
    {
        "max_failed_steps": st.integers(0, 3),
        "max_fail_per_subtask": st.integers(0, 2),
        "max_fail_per_round": st.integers(0, 4),
        "max_step": st.sampled_from([40, 40, 25, 25, 10, 10, 2, 1]),
        "max_round": st.integers(1, 3),
        "ask_question": st.sampled_from([None, True, False]),
        "ask_timeout": st.sampled_from([0.5, 300.0]),
        "safe_guard": st.sampled_from([True, True, False]),
        "on_error": st.sampled_from(["stop", "next_round"]),
        "json_parsing_retry": st.integers(1, 3),
        "save_ui_tree": st.just(value=False),
    }
)
PROGRAMS: Final = st.builds(
    Program,
    app_says=st.lists(_says(APP_SAYS), min_size=4, max_size=12),
    host_says=st.lists(_says(HOST_SAYS), min_size=2, max_size=6),
    decides=st.lists(st.sampled_from([True, True, False, None, LINE_DEAD]), min_size=1, max_size=3),
    answers=st.lists(st.sampled_from(["Ada", "Ada", "  ", None, LINE_DEAD]), min_size=1, max_size=3),
    faults=st.one_of(st.just(()), st.lists(FAULTS, max_size=3)),
    cancel_at=st.one_of(st.none(), st.none(), st.integers(0, 250)),
    requests=st.integers(1, 3),
    settings=SETTINGS,
)


class Model:
    """Answers each kind of agent from its list."""

    name = "random"

    def __init__(self, program: Program) -> None:
        self._program = program
        self._given = {"host": 0, "app": 0}

    @property
    def pictures(self) -> PictureLimits | None:
        return None

    async def respond(self, request: ModelRequest) -> ModelReply:
        await anyio.lowlevel.checkpoint()
        says = self._program.host_says if request.agent == "host" else self._program.app_says
        said = says[self._given[request.agent] % len(says)]
        self._given[request.agent] += 1
        if isinstance(said, Exception):
            raise said
        actions = said.get("actions")
        content = _labelled(said, request)
        if isinstance(actions, list):
            content["actions"] = [_labelled(item, request) for item in actions if isinstance(item, dict)]
        return ModelReply(content, str(content))


def _labelled(said: JsonObject, request: ModelRequest) -> JsonObject:
    """With the label of the control that is meant; what does not show gets one that nothing has."""
    content = dict(said)
    if name := content.pop("on", ""):
        label = next((control.id for control in request.controls if control.name == name), "1000")
        content = {"control_label": label, **content}
    return content


class RandomPerson:
    """Answers and decides from lists, in turn. `decided`: what was decided of what was shown; None: nothing."""

    reaches_person = True

    def __init__(self, program: Program) -> None:
        self._program = program
        self._asked = 0
        self.decided: list[bool | None] = []

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        answer = self._program.answers[self._asked % len(self._program.answers)]
        self._asked += 1
        return Answers(dict.fromkeys(questions, await _given(answer)))

    async def confirm(self, request: ConfirmationRequest) -> bool:
        self.decided.append(None)
        decision = self._program.decides[len(self.decided) % len(self._program.decides)]
        self.decided[-1] = await _given(decision)
        return self.decided[-1]


async def _given(what: T | Exception | None) -> T:
    await anyio.lowlevel.checkpoint()
    if what is None:
        await anyio.sleep_forever()
    if isinstance(what, Exception):
        raise what
    assert what is not None
    return what


@dataclass(slots=True)
class Played:
    """What is left of a session.

    `ending` None: it was cancelled. `pressed`: the buttons of the notes. `decided`: what the person decided.
    """

    stage: Stage
    ending: Ending | None
    pressed: Sequence[str]
    decided: Sequence[bool | None]


def play(program: Program, folder: Path) -> Played:
    """Plays a program in an event loop of its own, in which waiting takes no time."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(_play(program, folder))


async def _play(program: Program, folder: Path) -> Played:
    notes = Notes()
    forbidden = FakeControl(Role.BUTTON, "Forbidden", on_click=lambda: notes.log.append("Forbidden"))
    notes.window.controls.append(forbidden)
    notes.desktop.open(FakeWindow("Other", [FakeControl(Role.BUTTON, "Go"), FakeControl(Role.BUTTON, "Save")], "other"))
    notes.desktop.applications["calc"] = FakeApplication("calc", _calc)
    windows = {window.name: window for window in await notes.desktop.windows()}
    for fault in program.faults:
        _plan(fault, notes)
    hostless = windows["Notes"] if "hostless" in program.settings else None
    settings = {name: value for name, value in program.settings.items() if name != "hostless"}
    person = RandomPerson(program)
    it = stage(
        notes.desktop, Model(program), log_path=folder, person=person, rules=RULES,
        hostless=hostless, settings=settings,
    )  # fmt: skip
    ending: Ending | None = None
    with anyio.fail_after(1e7), anyio.CancelScope() as scope:
        if program.cancel_at is not None:
            _cancel_after(program.cancel_at, scope)
        ending = await it.run(*(f"request {number}" for number in range(program.requests)))
    return Played(it, ending, notes.log, person.decided)


def _calc(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
    return FakeWindow("Sheet", [FakeControl(Role.BUTTON, "Save")])


def _plan(fault: Fault, notes: Notes) -> None:
    faults, call = notes.desktop.faults, fault.on_call
    if fault.how in ERRORS:
        faults.fail(fault.method, ERRORS[fault.how]("for the test"), on_call=call)
    elif fault.how == "hangs":
        faults.hang(fault.method, on_call=call)
    elif fault.how == "lies":
        faults.lie(fault.method, on_call=call)
    else:
        faults.before(fault.method, partial(_lose, fault.how, notes), on_call=call)


def _lose(how: str, notes: Notes) -> None:
    """The notes are gone; where they come back, it is with another handle."""
    if notes.window in notes.desktop.shown_windows:
        if how == "application dies":
            notes.desktop.faults.application_dies(notes.window)
        else:
            notes.desktop.close_window(notes.window)
    if how == "window comes back":
        notes.window = notes.desktop.open(FakeWindow("Notes", notes.window.controls, "notes"))


def _cancel_after(turns: int, scope: anyio.CancelScope) -> None:
    """Cancels at whatever the session waits for after so many turns of the loop."""
    loop = asyncio.get_running_loop()

    def turn(left: int) -> None:
        if left == 0:
            scope.cancel()
        else:
            loop.call_soon(turn, left - 1)

    turn(turns)
