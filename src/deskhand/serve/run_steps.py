"""The tool `run_steps`: several tools in one call of a client."""

from collections.abc import Callable, Mapping
from typing import Final

from deskhand.core.command import ResultStatus
from deskhand.core.errors import ReplyDefect
from deskhand.core.fences import harmless
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.type_checks import json_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.pipeline.outputs import output_line
from deskhand.serve.answers import MOST_TEXT, Answer, harmless_json, in_marks, untrusted
from deskhand.session.single_action import Hand
from deskhand.session.step_list import read_steps
from deskhand.session.steps import StepDone, StepRunner, StepsDone, View

NAME: Final = "run_steps"
DESCRIPTION: Final = (
    "Calls several tools in order. All steps are checked before the first; each finds its control anew and is approved "
    "as by itself; the first surprise ends it. Answers a line for each, then what changed since the window was last "
    "listed for you."
)
_SELECTOR: Final = "role, name, value, within, nth; /…/ is a regular expression"
PARAMETERS: Final[JsonObject] = {
    "type": "object",
    "required": ["steps"],
    "properties": {
        "steps": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {"type": "string", "description": "one that acts, or reads a control"},
                    "on": {"type": "object", "description": f"the control instead of an id: {_SELECTOR}"},
                    "args": {"type": "object", "description": "arguments of the tool"},
                    "window": {"type": "string", "description": "id or title; default: that of the step before"},
                    "expect": {
                        "type": "object",
                        "description": "what must hold then: effect, window (title), file (written), shows, gone",
                    },
                },
            },
        }
    },
}
_UNKNOWN: Final = "The effect of a step is unknown: look at what changed before you go on."


def runner(
    desktop: Desktop, hand: Hand, view: View, arguments: Mapping[str, JsonValue], *, how_to_approve: str
) -> StepRunner:
    """Return the run of a call. Raises: StepsInvalid, ReplyDefect."""
    if unknown := next((name for name in arguments if name != "steps"), None):
        raise ReplyDefect(f"{NAME}: {unknown}: it takes steps alone")
    steps = read_steps(arguments.get("steps"), hand.all_offered, hand.catalogue.validate)
    return StepRunner(desktop, hand, view, steps, how_to_approve=how_to_approve)


def answer(done: StepsDone, report: Callable[[Observation], str]) -> Answer:
    """Return a line for each step, and the observation after the last. `report`: an observation as text."""
    seen = report(done.observation) if done.observation else f"(the window could not be observed: {done.unseen})"
    lines = [_line(step) for step in done.steps]
    note = _note(done)
    text = [
        untrusted("what came of the steps", "\n".join(lines)),
        *([note] if note else []),
        untrusted("the screen", seen),
    ]
    return Answer(
        "\n".join(text),
        _data(done, seen, note),
        failed=done.stopped is not None,
        problem=done.error.type if done.error else "",
    )


def _line(step: StepDone) -> str:
    result = step.result
    name = f"{step.number} {step.tool}:"
    if result.status is ResultStatus.SKIPPED:
        return f"{name} not run"
    if result.effect is None and result.error is None and result.ok:
        told = output_line(step.tool, json_of(result.result), most=MOST_TEXT, kept_by="")
        return " ".join(filter(None, (name, told, result.evidence and f"({result.evidence})")))
    word = result.effect.value if result.effect else result.status.value
    route = f" by {result.route.value}" if result.route else ""
    why = f"{result.error.type}: {result.error.message}" if result.error else result.evidence
    unmet = f"; {step.surprise}" if step.checks and step.surprise else ""
    given = "" if result.result is None else output_line(step.tool, json_of(result.result), most=MOST_TEXT, kept_by="")
    return "\n".join(filter(None, (f"{name} {word}{route}: {why}{unmet}", given)))


def _note(done: StepsDone) -> str:
    if (stopped := done.stopped) is None:
        return _UNKNOWN if done.status is ResultStatus.NONE else ""
    fix = done.error.fix if done.error else ""
    return f"It stopped at step {stopped.number}.{f' To do: {harmless(fix)}' if fix else ''}"


def _data(done: StepsDone, seen: str, note: str) -> JsonObject:
    steps: list[JsonValue] = [step.to_json() for step in done.steps]
    ours: JsonObject = {
        "status": done.status.value,
        "stopped_at": done.stopped.number if done.stopped else None,
        "note": note,
    }
    return in_marks(ours, {"steps": harmless_json(steps), "observation": harmless_json(seen)})
