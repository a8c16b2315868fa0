"""Steps of a playbook as plain phrases."""

import json
from collections.abc import Sequence

from deskhand.core.json import JsonValue
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.models.placeholder_values import described
from deskhand.models.selectors import describe
from deskhand.models.steps import Condition, Loop, Step

_LONGEST = 60
_HIDDEN = "•••"


def phrases(steps: Sequence[Step]) -> list[str]:
    """Each step as written; steps of a loop with the data it runs over."""
    return [f"{_loop(step.loop)}{phrase(step)}" for step in steps]


def phrase(step: Step, on: Selector | None = None) -> str:
    """A step as a plain phrase: `invoke menuitem "Chart..." within "Insert"`; `on`: the value of a parameter.

    Arguments for a password field are hidden.
    """
    return f"{_action_phrase(step, on)}{_if(step.when, 'when')}{_if(step.unless, 'unless')}"


def _action_phrase(step: Step, on: Selector | None) -> str:
    if not step.tool:
        return f"say {step.status}"
    words = [step.tool]
    if step.on is not None:
        meant = step.on if isinstance(step.on, Selector) else on
        words.append(describe(meant) if meant is not None else f"what {step.on} says")
    if step.args:
        hides = isinstance(step.on, Selector) and step.on.role == Role.PASSWORD
        shown = (f"{name} {_HIDDEN if hides else _short(value)}" for name, value in step.args.items())
        words.append(f"({', '.join(shown)})")
    if step.status == "ASSIGN":
        words.append(f'and assign "{step.subtask}" to {step.agent}')
    return " ".join(words)


def _if(condition: Condition | None, word: str) -> str:
    return f", {word} {described(condition)}" if condition is not None else ""


def _loop(loop: Loop | None) -> str:
    return f"for each {loop.variable} in ${{{loop.path}}}: " if loop is not None else ""


def _short(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
