"""An expectation compared with the result of an action, and with the answer of `verify` (contract 3.2)."""

from dataclasses import replace
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

from deskhand.core.command import OURS, Effect, Result, ResultStatus
from deskhand.core.file_stamp import stamp_of
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.ports import CheckResult
from deskhand.core.replies import Expectation
from deskhand.core.type_checks import items_of


def files_before(expect: Expectation | None) -> JsonObject:
    """Return the state of an expected file before the action, as the argument of `verify`."""
    if expect is None or not expect.file:
        return {}
    stamp = stamp_of(Path(expect.file))
    return {"file_before": [*stamp.to_list()] if stamp else None}


def expected_of_result(expect: Expectation, result: Result | None, data: JsonValue) -> list[CheckResult]:
    """Check the parts of an expectation that the result itself answers."""
    checks: list[CheckResult] = []
    if expect.effect:
        got = result.effect.value if result and result.effect else "none"
        checks.append(CheckResult("effect", got == expect.effect, f"wanted {expect.effect}, got {got}"))
    for name, wanted in (("rows", expect.rows), ("columns", expect.columns), ("exit_code", expect.exit_code)):
        if wanted:
            count = data.get(name) if isinstance(data, dict) else None
            ok = isinstance(count, int) and compare(count, wanted)
            checks.append(CheckResult(name, ok, f"wanted {wanted}, got {count}"))
    return checks


def as_expected(expect: Expectation | None, result: Result, data: JsonValue) -> Result:
    """Return a command with an expected exit code as a success, and an expected `partial` effect as no failure."""
    if expect is not None and expect.effect == result.effect == Effect.PARTIAL and result.error is None:
        return replace(result, status=ResultStatus.NONE)
    code = data.get("exit_code") if isinstance(data, dict) and result.namespace == OURS else None
    if expect is None or not expect.exit_code or not isinstance(code, int) or not compare(code, expect.exit_code):
        return result
    return replace(
        result, status=ResultStatus.SUCCESS, effect=Effect.CONFIRMED, evidence=f"exit code {code}, as expected"
    )


def compare(count: int, wanted: str) -> bool:
    """Return whether a number meets a comparison: `">=2"`, `"<10"`, `"5"`."""
    for sign, holds in (("==", eq), ("!=", ne), (">=", ge), ("<=", le), (">", gt), ("<", lt), ("=", eq)):
        if wanted.strip().startswith(sign):
            return bool(holds(count, int(wanted.strip()[len(sign) :])))
    return count == int(wanted)


def verified(answer: Result, names: tuple[str, ...]) -> list[CheckResult]:
    """Return the verify tool's answer as checks; where it failed, none is known to hold."""
    if answer.ok and (checks := items_of(answer.result, CheckResult)):
        return list(checks)
    why = answer.error.message if answer.error else "could not be checked"
    return [CheckResult(name, ok=False, detail=why, known=False) for name in names]
