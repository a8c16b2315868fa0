"""The result of a compound tool, made of those of its parts (decision 0098)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.commands.secret_texts import HIDDEN, SHORTEST
from deskhand.core.command import Command, Effect, Result, ResultStatus, status_of_effect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.type_checks import pairs_of

_VALUES: Final = ("text", "value", "item")
"""The arguments of the tools of parts that have the value of a control."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One control and what came of it; `effect`: None where it was not tried."""

    command: Command
    effect: Effect | None
    evidence: str

    @property
    def sentence(self) -> str:
        """`textbox "Name" [3]: reads "Ada"`; the control is named once."""
        named = self.command.target.describe if self.command.target else self.command.tool_name
        return self.evidence if self.evidence.startswith(named) else f"{named}: {self.evidence}"

    def to_json(self, hide: Callable[[str], str]) -> JsonObject:
        target = self.command.target
        value = _value(self.command)
        return {
            "id": target.id if target else "",
            "name": target.name if target else "",
            "value": HIDDEN if _is_secret(self.command) else hide(value) if isinstance(value, str) else value,
            "effect": self.effect.value if self.effect else "skipped",
            "evidence": hide(self.evidence),
        }


def of_parts(commands: Sequence[Command], results: Sequence[Result]) -> Result:
    """Return one result: confirmed where all parts are, partial where some are, else that of the first.

    `results`: of the parts that were tried, all but the last confirmed. Its data has one object for each control. A
    secret is left out of all of it, also where it was written elsewhere too.
    """
    last, hide = results[-1], _hiding(commands)
    rows = _rows(commands, results)
    data: list[JsonValue] = [row.to_json(hide) for row in rows]
    seconds = sum(result.seconds for result in results)
    tried = rows[: len(results)]
    if last.ok:
        told = hide("; ".join(row.sentence for row in tried))
        return replace(last, result=data, evidence=told, seconds=seconds)
    done = sum(row.effect is Effect.CONFIRMED for row in rows)
    effect = Effect.PARTIAL if any(result.ok for result in results) else last.effect
    stopped = hide(f"{done} of {len(commands)} confirmed; it stopped at {tried[-1].sentence}")
    return replace(
        last,
        status=status_of_effect(effect) if effect else ResultStatus.FAILURE,
        effect=effect,
        result=data,
        evidence=stopped,
        error=replace(last.error, message=stopped, fix=hide(last.error.fix)) if last.error else None,
        delivered=any(result.delivered for result in results),
        seconds=seconds,
    )


def _rows(commands: Sequence[Command], results: Sequence[Result]) -> list[_Row]:
    """One row for each control; one that changed again after it was confirmed is partial, as the last part reports."""
    changed = dict(pairs_of(results[-1].result))
    rows = [
        _Row(command, result.effect, result.error.message if result.error else result.evidence)
        for command, result in zip(commands, results, strict=False)
    ]
    for number, row in enumerate(rows[:-1]):
        told = changed.get(row.command.target.id) if row.command.target else None
        if isinstance(told, str):
            rows[number] = replace(row, effect=Effect.PARTIAL, evidence=f"{row.evidence}; then {told}")
    return [*rows, *(_Row(command, None, "") for command in commands[len(results) :])]


def _value(command: Command) -> JsonValue:
    """The value as it was given; an item that is chosen itself has none."""
    given = next((command.parameters[name] for name in _VALUES if name in command.parameters), "")
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given if given != "" or "text" in command.parameters else True


def _hiding(commands: Sequence[Command]) -> Callable[[str], str]:
    """Replaces the texts that are written into passwords, but for those so short that they are in every other word."""
    written = {str(each.parameters.get("text", "")) for each in commands if _is_secret(each)}
    secrets = sorted((text for text in written if len(text) >= SHORTEST), key=len, reverse=True)

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, HIDDEN)
        return text

    return hide


def _is_secret(command: Command) -> bool:
    return command.target is not None and command.target.type is Role.PASSWORD
