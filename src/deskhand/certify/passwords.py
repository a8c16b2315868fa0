"""Passwords that a playbook types; a certificate shows none of them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from deskhand.certify.certificate import Certificate, Finding, StepResult
from deskhand.certify.plan import Plan, PlannedStep
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role

_HIDDEN: Final = "•••"
_KEY: Final = re.compile(r"\{[^{}]*\}")
_SHORTEST: Final = 3
"""Characters of a text that is hidden wherever it is; a shorter one stands in other words too."""


def hiding(plan: Plan) -> Callable[[str], str]:
    """Return a function that hides the texts for password fields of a plan, also where they are typed elsewhere."""
    typed = {text for step in plan.steps if _is_of_password(step) for text in _texts(list(step.args.values()))}
    pieces = {piece for text in typed for piece in (text, *_KEY.split(text)) if len(piece) >= _SHORTEST}
    ordered = sorted(pieces, key=len, reverse=True)

    def hide(text: str) -> str:
        for piece in ordered:
            text = text.replace(piece, _HIDDEN)
        return text

    return hide


def without_passwords(found: Certificate, hide: Callable[[str], str]) -> Certificate:
    return replace(found, problem=hide(found.problem), steps=tuple(_hidden(step, hide) for step in found.steps))


def _hidden(step: StepResult, hide: Callable[[str], str]) -> StepResult:
    findings = {kind: _hidden_finding(finding, hide) for kind, finding in step.findings.items()}
    return replace(step, does=hide(step.does), problem=hide(step.problem), findings=findings)


def _hidden_finding(finding: Finding, hide: Callable[[str], str]) -> Finding:
    return replace(finding, reason=hide(finding.reason), advice=hide(finding.advice))


def _is_of_password(step: PlannedStep) -> bool:
    return any(target.role == Role.PASSWORD for target in step.targets)


def _texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for part in value:
                yield from _texts(part)
        case dict():
            yield from _texts(list(value.values()))
        case _:
            pass
