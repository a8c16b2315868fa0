"""JUnit files as a library of another maker reads them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from junitparser import JUnitXml


@dataclass(frozen=True)
class Read:
    """One case; `kind` is passed, failure, error or skipped."""

    name: str
    kind: str
    message: str
    type: str


@dataclass(frozen=True)
class ReadSuite:
    """One suite, with the numbers that its attributes give."""

    tests: int
    failures: int
    errors: int
    skipped: int
    properties: dict[str, str]
    cases: list[Read]


def read_junit(path: Path | str) -> list[ReadSuite]:
    """The suites of a file."""
    reader: Any = JUnitXml  # Any: the library is typed in part
    return [
        ReadSuite(
            tests=suite.tests,
            failures=suite.failures,
            errors=suite.errors,
            skipped=suite.skipped,
            properties={each.name: each.value for each in suite.properties()},
            cases=[_case(case) for case in suite],
        )
        for suite in reader.fromfile(str(path))
    ]


def _case(case: Any) -> Read:  # Any: as above
    (result,) = case.result or (None,)
    kind = type(result).__name__.lower() if result else "passed"
    return Read(case.name, kind, result.message if result else "", (result.type or "") if result else "")
