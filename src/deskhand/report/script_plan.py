"""A playbook as one script from its beginning to its end, for files of tests: windows, and the steps in each.

What a test file cannot express is an error that names the step; nothing is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.core.errors import UsageError
from deskhand.core.json import JsonValue
from deskhand.core.replies import Expectation, Selector
from deskhand.core.roles import Role
from deskhand.models.parameters import selector_parameter
from deskhand.models.step_phrases import phrase
from deskhand.models.steps import Parameter, ParameterType, Playbook, Step

_LAUNCH: Final = "launch_application"
_SELECT: Final = "select_application_window"
_WINDOWS: Final = frozenset({Role.WINDOW, Role.DIALOG})
_WRITING: Final = frozenset({"save_document", "export_pdf", "choose_file"})


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a script, in words, and the program that shows the first window where no step launches one.

    `command`: its argument vector; `files`: those that are opened before the first step.
    """

    made_from: str
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """A step that makes a window: it launches an application with a file, or waits for a title (empty: any)."""

    step: Step
    application: str = ""
    file: str = ""
    title: str = ""

    @property
    def launches(self) -> bool:
        return self.step.tool == _LAUNCH


@dataclass(frozen=True, slots=True)
class Section:
    """Steps in one window. `openings`: launches before it, and the choice of its window."""

    name: str
    openings: tuple[Opening, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """The whole script. `end`: what is expected at its end, with the step that expects it."""

    playbook: Playbook
    origin: Origin
    sections: tuple[Section, ...]
    end: tuple[Step, Expectation] | None = None

    @property
    def steps(self) -> Iterator[Step]:
        """All steps that act in a window."""
        for section in self.sections:
            yield from section.steps

    def written(self, parameter: Parameter) -> bool:
        """True if it is the path of a file that the script writes."""
        hole = f"${{{parameter.name}}}"
        expected = [step.expect.file for step in self.steps if step.expect is not None]
        expected += [self.end[1].file] if self.end else []
        given = [(step.args or {}).get("path") for step in self.steps if step.tool in _WRITING]
        return parameter.type is ParameterType.PATH and hole in {*expected, *map(str, given)}

    def is_constant(self, parameter: Parameter) -> bool:
        """True if its value is in the file: it has a default, and is no path of a file that the script writes."""
        return parameter.default is not None and not self.written(parameter)

    def selector(self, step: Step) -> Selector | None:
        """The target of a step; of a selector parameter its default. Raises: UsageError without one."""
        if not isinstance(step.on, str):
            return step.on
        default = self.playbook.parameters[step.on].default
        if default is None:
            raise self.unwritable(step, f"its target is the parameter {step.on}, which has no default")
        return selector_parameter(default)

    def single(self, step: Step) -> list[tuple[Step, Selector]]:
        """The tool `fill` as one step for each of its values. Raises: UsageError for a value without a selector."""
        values = (step.args or {}).get("values")
        return [self._single(step, each) for each in (values if isinstance(values, list) else [])]

    def _single(self, step: Step, given: JsonValue) -> tuple[Step, Selector]:
        if not isinstance(given, dict) or not isinstance(given.get("on"), dict):
            raise self.unwritable(step, "a value has no selector")
        selector, value = Selector.model_validate(given["on"]), given.get("value")
        if isinstance(value, bool | int | float):
            return replace(step, tool="set_value", on=selector, args={"value": value}), selector
        if selector.role in {Role.COMBOBOX, Role.LIST}:
            return replace(step, tool="select_item", on=selector, args={"item": value}), selector
        return replace(step, tool="set_edit_text", on=selector, args={"text": value}), selector

    def unwritable(self, step: Step, why: str, fix: str = "leave the step out, or write it by hand") -> UsageError:
        """The error for a step that the file cannot express."""
        return _unwritable(self.playbook, step, why, fix)


def script_of(playbook: Playbook, origin: Origin) -> Script:
    """The script of a playbook. Raises: UsageError for a step that no script can express, with its line."""
    return _Maker(playbook, origin).script()


def brittle(selector: Selector | None) -> str:
    """The reason why a selector may find another control one day; empty if none is known."""
    if selector is None or selector.role in _WINDOWS:
        return ""
    if selector.name and selector.nth is not None:
        return "several have this name, found by its place"
    if not selector.name and selector.nth is not None:
        return "no name, found by its place"
    return "" if selector.name or selector.value else "no name, found by its role alone"


def dialog_of(selector: Selector) -> tuple[str, Selector]:
    """The title of the dialog that a selector is within, empty without one, and the selector inside of it."""
    around: list[Selector] = []
    within = selector.within
    while isinstance(within, Selector):
        around.append(within)
        within = within.within
    if not around or around[-1].role != Role.DIALOG or not around[-1].name:
        return "", selector
    inner: Selector | None = None
    for each in reversed(around[:-1]):
        inner = each.model_copy(update={"within": inner})
    return around[-1].name, selector.model_copy(update={"within": inner})


@dataclass(slots=True)
class _Maker:
    playbook: Playbook
    origin: Origin

    def script(self) -> Script:
        if not self.playbook.host:
            ((name, steps),) = self.playbook.agents.items()
            self._require_origin(steps[0])
            return Script(self.playbook, self.origin, (self._section(name, (), steps),))
        sections: list[Section] = []
        openings: list[Opening] = []
        end: tuple[Step, Expectation] | None = None
        for step in self.playbook.host:
            self._check(step)
            if not step.tool:
                end = (step, step.expect) if step.expect else None
                break
            openings.append(self._opening(step))
            if step.status == "ASSIGN":
                if not sections and not any(each.launches for each in openings):
                    self._require_origin(step)
                sections.append(self._section(step.agent, openings, self.playbook.agents[step.agent]))
                openings = []
        return Script(self.playbook, self.origin, tuple(sections), end)

    def _require_origin(self, step: Step) -> None:
        if not self.origin.command and not self.origin.files:
            why = "no step launches the program of its window, and a test starts its own"
            raise _unwritable(self.playbook, step, why, fix="name the program after --: -- PROGRAM ARGUMENT…")

    def _opening(self, step: Step) -> Opening:
        args = step.args or {}
        if step.tool == _LAUNCH:
            return Opening(step, str(args.get("application", "")), str(args.get("file", "")))
        if step.tool != _SELECT or not isinstance(step.on, Selector):
            raise _unwritable(self.playbook, step, "only windows can be chosen between sections")
        return Opening(step, title=step.on.name)

    def _section(self, name: str, openings: Sequence[Opening], steps: Sequence[Step]) -> Section:
        for step in steps:
            self._check(step)
        return Section(name, tuple(openings), tuple(steps))

    def _check(self, step: Step) -> None:
        if step.loop is not None:
            raise _unwritable(self.playbook, step, "it is a loop over the rows of a table")
        if step.status in {"FAIL", "CONFIRM"}:
            raise _unwritable(self.playbook, step, f"it ends with {step.status}")
        if any(condition is not None and condition.value for condition in (step.when, step.unless)):
            raise _unwritable(self.playbook, step, "it depends on a value")


def _unwritable(playbook: Playbook, step: Step, why: str, fix: str = "") -> UsageError:
    return UsageError(
        f"{playbook.source}:{step.line}: {phrase(step)}: a file of tests cannot express it: {why}",
        fix=fix or "leave the step out, or write it by hand",
    )
