"""What the parts of a playbook must be to each other: assignments to agents, `${…}` to what it names."""

from collections.abc import Iterator, Mapping

from deskhand.config.located import Located, Source, suggestion
from deskhand.core.json import JsonObject
from deskhand.core.replies import Selector
from deskhand.models.steps import Parameter, ParameterType, Playbook, Step
from deskhand.models.templates import is_path, references


def check_assignments(playbook: Playbook, source: Source, entries: Mapping[str, Located]) -> None:
    """Every ASSIGN names an agent there is, every agent is assigned, one subtask text means one agent.

    `entries` are the playbook's top-level keys.
    """
    agents = entries.get("agents")
    if agents is None or not isinstance(agents.value, dict):
        return
    if "host" not in entries:
        if len(agents.value) != 1:
            source.complain(agents.line, "without a host there is exactly one agent: nobody hands out subtasks")
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


def check_references(playbook: Playbook, source: Source) -> None:
    """Every `${…}` names a parameter, or data saved by an earlier step as the host's order has it."""
    saved: dict[str, int] = {}
    later = {step.save_as: step.line for step in _in_order(playbook) if step.save_as}
    reported: set[tuple[int, str]] = set()
    for step in _in_order(playbook):
        for path, what in _references_of(step):
            problem = _reference_problem(path, what, playbook, saved, later)
            if problem and (step.line, problem) not in reported:
                reported.add((step.line, problem))
                source.complain(step.line, problem)
        if step.save_as in playbook.parameters and step.line not in saved.values():
            source.complain(step.line, f"save_as {step.save_as!r} is the name of a parameter")
        if step.save_as:
            saved[step.save_as] = step.line


def _in_order(playbook: Playbook) -> Iterator[Step]:
    if not playbook.host:
        for steps in playbook.agents.values():
            yield from steps
    for step in playbook.host:
        yield step
        if step.status == "ASSIGN":
            yield from playbook.agents.get(step.agent, ())


def _references_of(step: Step) -> Iterator[tuple[str, str]]:
    """Each reference with the key it stands in; `on` as a whole is the key `selector`."""
    if isinstance(step.on, str):
        yield step.on, "selector"
    fields: JsonObject = {
        "on": step.on.model_dump() if isinstance(step.on, Selector) else None,
        "args": dict(step.args or {}),
        "expect": step.expect.model_dump() if step.expect else None,
        "subtask": step.subtask,
        "result": step.result,
    }
    for what, value in fields.items():
        for path in references(value):
            yield path, what


def _reference_problem(
    path: str, what: str, playbook: Playbook, saved: Mapping[str, int], later: Mapping[str, int]
) -> str:
    name = path.partition(".")[0]
    if not is_path(path):
        return f"${{{path}}} is not a name or a dotted path; there are no expressions"
    if name in playbook.parameters:
        return _parameter_problem(path, what, playbook.parameters[name])
    if what == "selector":
        return f"${{{path}}}: on needs a parameter of type selector"
    if what == "subtask":
        return f"${{{path}}}: a subtask is text and parameters; the data itself reaches the agent by its name"
    if name not in later:
        known = [*playbook.parameters, *later]
        return f"${{{path}}} is neither a parameter nor saved by any step{suggestion(name, known)}"
    return "" if name in saved else f"${{{path}}} is used before line {later[name]} saves it"


def _parameter_problem(path: str, what: str, parameter: Parameter) -> str:
    if path != parameter.name:
        return f"${{{path}}}: a parameter has no parts"
    if (parameter.type is ParameterType.SELECTOR) != (what == "selector"):
        return f"${{{path}}}: a selector parameter stands as a whole after 'on:', and nothing else does"
    return ""
