"""The plan of a simulation: each step of a playbook with the window, the dialog and the controls that it needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from deskhand.certify.dialogs import SectionDialog, dialogs_of
from deskhand.certify.example_texts import NoExample, example_of
from deskhand.certify.made_up_values import parameters, steps_of, with_tables
from deskhand.certify.simulated_tools import ACTING, LAUNCH, READING, SELECT_WINDOW, WRITING
from deskhand.core.json import JsonObject
from deskhand.core.patterns import matches_name, matches_title
from deskhand.core.replies import Expectation, Selector
from deskhand.core.roles import Role
from deskhand.models.parameters import selector_parameter
from deskhand.models.placeholder_values import filled_expectation, filled_selector, holds
from deskhand.models.placeholders import UnknownValue, Values, render
from deskhand.models.section_position import Place, unroll
from deskhand.models.steps import HOST, Condition, Playbook, Step

_AGENT: Final = "the_agent"

Key = tuple[str, int, int]
"""Section, position of the host's step that assigned it, position in the section."""


@dataclass(frozen=True, slots=True)
class PlannedDialog:
    """A dialog that steps of one section need; `saves`: a file dialog that writes (or opens) a file; None: none."""

    key: str
    title: str
    saves: bool | None = None


@dataclass(frozen=True, slots=True)
class PlannedWindow:
    """A window; `opened_by`: the step that opens it, None: it is open from the beginning."""

    number: int
    title: str
    is_dialog: bool
    application: str
    opened_by: Key | None = None


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step with its values filled in, in a loop for one row.

    `window` is the number of its window, None without one; `targets` are selectors of the controls that it acts on,
    `shows` those that have to be visible for it, `hides` one that must not be. `opens`: the number of a window.
    `problem`: the reason why there is no simulation for it. `taken`: False if its conditions on values do not hold.
    """

    key: Key
    place: Place
    args: JsonObject
    window: int | None = None
    dialog: PlannedDialog | None = None
    targets: tuple[Selector, ...] = ()
    shows: tuple[Selector, ...] = ()
    hides: Selector | None = None
    expect: Expectation | None = None
    opens: int | None = None
    taken: bool = True
    problem: str = ""

    @property
    def step(self) -> Step:
        return self.place.step

    @property
    def tool(self) -> str:
        return self.place.step.tool

    @property
    def is_of_file(self) -> bool:
        """False for the steps of a host that the file lacks."""
        return self.place.step.line > 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A playbook with a host, the values of its parameters, and its steps in the order of a run."""

    playbook: Playbook
    parameters: JsonObject
    folder: Path
    steps: tuple[PlannedStep, ...]
    windows: tuple[PlannedWindow, ...]
    by_key: Mapping[Key, PlannedStep]
    tables: Mapping[str, Step]
    problem: str = ""


def plan_of(playbook: Playbook, given: Mapping[str, object], folder: Path) -> Plan:
    """Plan a run; files are written in `folder` alone. Raises: UsageError for a parameter."""
    book = _with_host(playbook)
    bound = parameters(book, given, folder)
    return _Planner(book, bound, with_tables(book, _in_order(book), bound), folder).plan()


def _in_order(book: Playbook) -> Iterator[Step]:
    for step in book.host:
        yield step
        yield from book.agents.get(step.agent, ())


def _with_host(playbook: Playbook) -> Playbook:
    """The playbook with steps of a host, as `act` has one for a section alone."""
    if playbook.host:
        return playbook
    name = next(iter(playbook.agents))
    assign = Step(
        0, SELECT_WINDOW, "ASSIGN", on=Selector(role=Role.WINDOW.value), agent=name, subtask=playbook.name or _AGENT
    )
    return replace(playbook, host=(assign, Step(0, "", "FINISH")))


@dataclass(slots=True)
class _Planner:
    book: Playbook
    parameters: JsonObject
    values: Values
    folder: Path
    steps: list[PlannedStep] = field(default_factory=list[PlannedStep])
    windows: list[PlannedWindow] = field(default_factory=list[PlannedWindow])
    problem: str = ""

    def plan(self) -> Plan:
        host = unroll(self.book.host, self.values)
        self.problem = host.problem
        for position, place in enumerate(host.places):
            self._host_step(position, place)
        self._claim_windows()
        return Plan(
            self.book,
            self.parameters,
            self.folder,
            tuple(self.steps),
            tuple(self.windows),
            {step.key: step for step in self.steps},
            {step.save_as: step for step in steps_of(self.book) if step.tool == "read_table"},
            self.problem,
        )

    def _host_step(self, position: int, place: Place) -> None:
        planned = self._planned((HOST, -1, position), place)
        number = self._window_of(planned) if planned.targets else None
        self.steps.append(replace(planned, window=number))
        if place.step.status != "ASSIGN":
            return
        if number is None:  # the window that it launches is assigned at once
            wanted = planned.expect.window if planned.expect is not None else ""
            number = self._new_window(_example(wanted) or "Window")
        section = self.book.agents[place.step.agent]
        unrolled = unroll(section, self.values)
        self.problem = self.problem or unrolled.problem
        dialogs = dialogs_of(section)
        for at, inner in enumerate(unrolled.places):
            step = self._planned((place.step.agent, position, at), inner)
            dialog = dialogs[inner.number - 1]
            self.steps.append(replace(step, window=number, dialog=self._dialog(step, position, dialog)))

    def _planned(self, key: Key, place: Place) -> PlannedStep:
        step, args = place.step, _known_args(place)
        try:
            on = self._selector(step.on, place.values)
            values = args.get("values") if step.tool == "fill" else None
            fields = [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []
            targets = tuple(Selector.model_validate(each["on"]) for each in fields if "on" in each)
            expect = _filled(step.expect, place.values)
            shown = _shown(step.when, place.values)
            planned = PlannedStep(
                key,
                place,
                args,
                targets=targets or ((on,) if on is not None else ()),
                shows=(shown,) if shown is not None else (),
                hides=_shown(step.unless, place.values),
                expect=expect,
                taken=_is_taken(step, place.values),
            )
        except UnknownValue as problem:
            return PlannedStep(key, place, args, problem=f"a name depends on a result of the run: {problem}")
        return replace(planned, problem=self._problem_of(planned))

    def _selector(self, on: Selector | str | None, values: Values) -> Selector | None:
        if on is None:
            return None
        written = on if isinstance(on, Selector) else selector_parameter(self.values[on])
        return filled_selector(written, values)

    def _problem_of(self, planned: PlannedStep) -> str:
        if problem := _problem_of_tool(planned):
            return problem
        expected = planned.expect.file if planned.expect is not None else ""
        path = planned.args.get("path") if planned.tool in WRITING else expected
        if isinstance(path, str) and path and self.folder not in Path(path).parents:
            return f"it names the file {path}, which must be a parameter of type path"
        try:
            for selector in (*planned.targets, *planned.shows):
                _examples(selector)
        except NoExample as problem:
            return str(problem)
        return ""

    def _window_of(self, planned: PlannedStep) -> int:
        (selector,) = planned.targets
        for window in self.windows:
            role = Role.DIALOG if window.is_dialog else Role.WINDOW
            if (not selector.role or matches_name(selector.role, role)) and (
                not selector.name or matches_name(selector.name, window.title)
            ):
                return window.number
        is_dialog = selector.role == Role.DIALOG
        title = _example(selector.name) or ("Dialog" if is_dialog else "Window")
        number = len(self.windows)
        self.windows.append(PlannedWindow(number, title, is_dialog, f"application-{number + 1}"))
        return number

    def _dialog(self, step: PlannedStep, position: int, dialog: SectionDialog | None) -> PlannedDialog | None:
        if dialog is None:
            return None
        try:
            named = filled_selector(dialog.selector, step.place.values)
        except UnknownValue:
            named = dialog.selector
        key = f"{step.key[0]} {position} {dialog.number} {named.name}"
        return PlannedDialog(key, _example(named.name) or "Dialog", dialog.saves)

    def _claim_windows(self) -> None:
        """Let windows be opened by the steps that launch or expect them."""
        used: set[int] = set()
        for at, step in enumerate(self.steps):
            if step.window is not None:
                used.add(step.window)
            number = self._opened_by(step, at, used)
            if number is None:
                continue
            window = self.windows[number]
            own = str(step.args.get("application") or "") if step.tool == LAUNCH else ""
            if window.opened_by is None:
                self.windows[number] = replace(window, opened_by=step.key, application=own or window.application)
            self.steps[at] = replace(step, opens=number)

    def _opened_by(self, step: PlannedStep, at: int, used: set[int]) -> int | None:
        """The window that a step opens: the expected one; by a launch also the next that a step of the host names."""
        if step.expect is not None and step.expect.window:
            return self._expected(step, used)
        if step.tool != LAUNCH:
            return None
        unused = (later.window for later in self.steps[at:] if later.window is not None and later.window not in used)
        number = next(unused, None)
        return self._new_window("Window") if number is None else number

    def _expected(self, step: PlannedStep, used: set[int]) -> int | None:
        wanted = step.expect.window if step.expect else ""
        for window in self.windows:
            if matches_title(wanted, window.title):
                return None if window.number in used else window.number
        return self._new_window(_example(wanted))

    def _new_window(self, title: str) -> int:
        number = len(self.windows)
        self.windows.append(PlannedWindow(number, title, is_dialog=False, application=f"application-{number + 1}"))
        return number


def _problem_of_tool(planned: PlannedStep) -> str:
    tool = planned.tool
    if tool and tool not in READING | ACTING:
        return f"{tool} is not simulated"
    if tool == LAUNCH and not planned.args.get("application"):
        return "which application opens a file depends on the machine"
    if tool == "wait_for" and planned.args.get("picture") == "changed":
        return "nothing is drawn that could change"
    return ""


def _known_args(place: Place) -> JsonObject:
    """The arguments as far as their values are known; the others are None."""
    known: JsonObject = {}
    for name, written in (place.step.args or {}).items():
        try:
            known[name] = render(written, place.values)
        except UnknownValue:
            known[name] = None
    return known


def _filled(expect: Expectation | None, values: Values) -> Expectation | None:
    if expect is None:
        return None
    # An application made from the file alone is not like a reference of the real one.
    return Expectation.model_validate({**filled_expectation(expect, values), "like": ""})


def _shown(condition: Condition | None, values: Values) -> Selector | None:
    return filled_selector(condition.shows, values) if condition is not None and condition.shows is not None else None


def _is_taken(step: Step, values: Values) -> bool:
    """True if the conditions on values let a step happen; those on controls can be met."""
    when, unless = step.when, step.unless
    if when is not None and not holds(replace(when, shows=None), values, (), None):
        return False
    return unless is None or unless.shows is not None or not holds(unless, values, (), None)


def _examples(selector: Selector) -> None:
    """Raises: NoExample if a part of a selector has none."""
    for wanted in (selector.role, selector.name, selector.value):
        example_of(wanted)
    if isinstance(selector.within, Selector):
        _examples(selector.within)
    for name in selector.within if isinstance(selector.within, list) else ():
        example_of(name)


def _example(wanted: str) -> str:
    try:
        return example_of(wanted)
    except NoExample:
        return ""
