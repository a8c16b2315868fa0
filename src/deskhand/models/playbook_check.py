"""Consistency of a playbook: assignments to agents, and the names in `${…}`."""

from collections.abc import Iterator, Mapping
from typing import Final

from deskhand.config.yaml_values import Located, Source, suggestion
from deskhand.core.json import JsonObject
from deskhand.core.replies import Selector
from deskhand.models.placeholders import is_path, parts_of, references, root_of
from deskhand.models.steps import HOST, Loop, Parameter, ParameterType, Playbook, Step

_ONLY_PARAMETERS: Final = {
    "selector": "on needs a parameter of type selector",
    "subtask": "a subtask is text and parameters; the agent gets the data itself by its name",
}


def check_assignments(playbook: Playbook, source: Source, entries: Mapping[str, Located]) -> None:
    """Check that every ASSIGN names an existing agent, every agent is assigned, one subtask text means one agent.

    `entries` are the playbook's top-level keys.
    """
    agents = entries.get("agents")
    if agents is None or not isinstance(agents.value, dict):
        return
    if "host" not in entries:
        if len(agents.value) != 1:
            source.complain(agents.line, "without a host there is exactly one agent: nothing assigns subtasks")
        return
    assigned = [step for step in playbook.host if step.status == "ASSIGN"]
    _check_agents_exist(assigned, playbook, source)
    for name, node in agents.value.items():
        if name not in {step.agent for step in assigned}:
            source.complain(node.line, f"no host step assigns anything to agent {name!r}")


def _check_agents_exist(assigned: list[Step], playbook: Playbook, source: Source) -> None:
    first: dict[str, Step] = {}
    for step in assigned:
        if step.agent and step.agent not in playbook.agents:
            source.complain(step.line, f"no agent is called {step.agent!r}{suggestion(step.agent, playbook.agents)}")
        earlier = first.setdefault(step.subtask, step)
        if step.subtask and earlier.agent != step.agent:
            also = f"{earlier.agent!r} in line {earlier.line}"
            source.complain(step.line, f"subtask {step.subtask!r} goes to {step.agent!r} here and to {also}")


def check_loops(playbook: Playbook, source: Source) -> None:
    """Check that loops run over data that does not change meanwhile, and assign nothing."""
    taken = {*playbook.parameters, *(step.save_as for step in _in_order(playbook))}
    reported: set[int] = set()
    for name, steps in _sections(playbook):
        for step in steps:
            loop = step.loop
            if loop is None or not loop.variable:
                continue
            if loop.variable in taken and loop.line not in reported:
                reported.add(loop.line)
                source.complain(loop.line, f"for_each: {loop.variable!r} is the name of a parameter or of saved data")
            if step.status == "ASSIGN":
                source.complain(step.line, "a loop assigns no subtask; let the agent's own steps run over the rows")
            elif step.status in {"FINISH", "FAIL"} and not step.conditional:
                source.complain(step.line, f"{step.status} ends the loop at its first row; give it a when or an unless")
        _check_replaced_rows(name, steps, playbook, source)


def _check_replaced_rows(name: str, steps: tuple[Step, ...], playbook: Playbook, source: Source) -> None:
    """Report data saved in place of rows that a loop of this section runs over: the loop would lose its position."""
    over: dict[str, int] = {}
    for step in steps:
        if step.loop is not None:
            over[root_of(step.loop.path)] = step.loop.line
        saving = [step]
        if name == HOST and step.status == "ASSIGN":
            saving += playbook.agents.get(step.agent, ())
        for other in saving:
            if other.save_as and other.save_as in over:
                message = (
                    f"save_as {other.save_as!r} replaces the rows that the loop in line {over[other.save_as]} runs over"
                )
                source.complain(other.line, message)


def names_columns(step: Step, variable: str) -> bool:
    """True if a step uses a column of the loop's row by name."""
    return any(
        root_of(path) == variable and any(not part.isdecimal() for part in parts_of(path))
        for path, _ in _references_of(step)
    )


def check_references(playbook: Playbook, source: Source) -> None:
    """Check that every `${…}` names a parameter, or data saved by an earlier step in the host's order."""
    saved: dict[str, int] = {}
    later = {step.save_as: step.line for step in _in_order(playbook) if step.save_as}
    reported: set[tuple[int, str]] = set()
    for step in _in_order(playbook):
        for path, what in _references_of(step):
            if step.loop is not None and what != "for_each" and root_of(path) == step.loop.variable:
                problem = _row_problem(path, what, step.loop)
            else:
                problem = _reference_problem(path, what, playbook, saved, later)
            line = step.loop.line if step.loop is not None and what == "for_each" else step.line
            if problem and (line, problem) not in reported:
                reported.add((line, problem))
                source.complain(line, problem)
        if step.save_as in playbook.parameters and step.line not in saved.values():
            source.complain(step.line, f"save_as {step.save_as!r} is the name of a parameter")
        if step.save_as:
            saved[step.save_as] = step.line


def _sections(playbook: Playbook) -> list[tuple[str, tuple[Step, ...]]]:
    return [(HOST, playbook.host), *playbook.agents.items()]


def _in_order(playbook: Playbook) -> Iterator[Step]:
    if not playbook.host:
        for steps in playbook.agents.values():
            yield from steps
    for step in playbook.host:
        yield step
        if step.status == "ASSIGN":
            yield from playbook.agents.get(step.agent, ())


def _references_of(step: Step) -> Iterator[tuple[str, str]]:
    """Each reference with its key; `on` as a whole is the key `selector`."""
    if isinstance(step.on, str):
        yield step.on, "selector"
    fields: JsonObject = {
        "on": [each.model_dump() for each in (step.on, step.second) if isinstance(each, Selector)],
        "args": dict(step.args or {}),
        "expect": step.expect.model_dump() if step.expect else None,
        "subtask": step.subtask,
        "result": step.result,
    }
    if step.loop is not None and step.loop.path:
        yield step.loop.path, "for_each"
    for condition in (step.when, step.unless):
        if condition is not None:
            if condition.value:
                yield condition.value, "condition"
            shows = condition.shows.model_dump() if condition.shows else None
            for path in references([shows, condition.wanted]):
                yield path, "on"
    for what, value in fields.items():
        for path in references(value):
            yield path, what


def _reference_problem(
    path: str, what: str, playbook: Playbook, saved: Mapping[str, int], later: Mapping[str, int]
) -> str:
    name = root_of(path)
    if not is_path(path):
        return f"${{{path}}} is not a name or a dotted path; there are no expressions"
    if name in playbook.parameters:
        return _parameter_problem(path, what, playbook.parameters[name])
    if what in _ONLY_PARAMETERS:
        return f"${{{path}}}: {_ONLY_PARAMETERS[what]}"
    if name not in later:
        known = [*playbook.parameters, *later]
        return f"${{{path}}} is neither a parameter nor saved by any step{suggestion(name, known)}"
    # A condition may test for data that is not saved yet.
    return "" if name in saved or what == "condition" else f"${{{path}}} is used before line {later[name]} saves it"


def _row_problem(path: str, what: str, loop: Loop) -> str:
    if not is_path(path):
        return f"${{{path}}} is not a name or a dotted path; there are no expressions"
    if what == "selector":
        return f"${{{path}}}: on needs a parameter of type selector"
    if path == loop.variable and loop.header:
        return f"${{{path}}}: name a cell, as ${{{path}[0]}} or ${{{path}.Name}}"
    return ""


def _parameter_problem(path: str, what: str, parameter: Parameter) -> str:
    if what == "for_each":
        return f"${{{path}}}: a parameter has no rows"
    if path != parameter.name:
        return f"${{{path}}}: a parameter has no parts"
    if (parameter.type is ParameterType.SELECTOR) != (what == "selector"):
        return f"${{{path}}}: a selector parameter must be the whole value of 'on:'"
    return ""
