"""The Test Anything Protocol, version 14."""

import json
from collections.abc import Sequence

from deskhand.report.suite_results import Case, Verdict


def tap_lines(cases: Sequence[Case]) -> list[str]:
    """The lines of these cases. A case with an unknown result is not ok, with the severity `error`."""
    lines = ["TAP version 14", f"1..{len(cases)}"]
    for number, case in enumerate(cases, start=1):
        lines += _case(number, case)
    return lines


def _case(number: int, case: Case) -> list[str]:
    ok = case.verdict in {Verdict.PASSED, Verdict.SKIPPED}
    skip = f" # SKIP {_description(case.message)}".rstrip() if case.verdict is Verdict.SKIPPED else ""
    line = f"{'ok' if ok else 'not ok'} {number} - {_description(case.name)}{skip}"
    if ok:
        return [line]
    facts = {
        "message": case.message,
        "severity": "fail" if case.verdict is Verdict.FAILED else "error",
        "type": case.kind,
        "detail": case.detail,
    }
    # A text in JSON is one in YAML, on one line.
    return [line, "  ---", *(f"  {name}: {json.dumps(text)}" for name, text in facts.items() if text), "  ..."]


def _description(text: str) -> str:
    """A text that begins no directive and stays on its line."""
    return " ".join(text.replace("\\", "\\\\").replace("#", "\\#").split())
