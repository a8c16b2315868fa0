"""The result of a compound tool, made of those of its parts (decision 0098)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deskhand.commands.secret_texts import HIDDEN
from deskhand.core.command import Command, Effect, Result, ResultStatus, status_of_effect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role

_VALUES = ("text", "value", "item")
"""The arguments of the tools of parts that have the value of a control."""


def of_parts(commands: Sequence[Command], results: Sequence[Result]) -> Result:
    """Return one result: confirmed where all parts are, partial where some are, else that of the first.

    `results`: of the parts that were tried, all but the last confirmed. Its data has one object for each control.
    """
    last = results[-1]
    done = sum(result.ok for result in results)
    rows: list[JsonValue] = [*_rows(commands, results)]
    if last.ok:
        told = "; ".join(
            f"{_named(command)}: {_told(result)}" for command, result in zip(commands, results, strict=True)
        )
        return replace(last, result=rows, evidence=f"all {done} are confirmed: {told}")
    effect = Effect.PARTIAL if done else last.effect
    stopped = (
        f"{done} of {len(commands)} are confirmed; it stopped at {_named(commands[len(results) - 1])}: {_told(last)}"
    )
    return replace(
        last,
        status=status_of_effect(effect) if effect else ResultStatus.FAILURE,
        effect=effect,
        result=rows,
        evidence=stopped,
        error=replace(last.error, message=stopped) if last.error else None,
        delivered=any(result.delivered for result in results),
        seconds=sum(result.seconds for result in results),
    )


def _rows(commands: Sequence[Command], results: Sequence[Result]) -> Iterator[JsonObject]:
    for number, command in enumerate(commands):
        target, given = command.target, command.parameters
        result = results[number] if number < len(results) else None
        value = next((given[name] for name in _VALUES if name in given), True)
        effect = result.effect.value if result and result.effect else "skipped"
        yield {
            "id": target.id if target else "",
            "name": target.name if target else "",
            "value": HIDDEN if target and target.type is Role.PASSWORD else value,
            "effect": effect,
            "evidence": _told(result) if result else "",
        }


def _named(command: Command) -> str:
    return command.target.describe if command.target else command.tool_name


def _told(result: Result) -> str:
    return result.error.message if result.error else result.evidence
