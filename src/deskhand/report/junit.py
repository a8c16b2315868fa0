"""JUnit XML, in the form that CI systems read: test suites with their cases (junit-10, as pytest writes it)."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from socket import gethostname
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from deskhand.report.suite_results import Case, Suite, Verdict

_INVALID: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have, not even escaped."""

_ELEMENTS: Final = {Verdict.FAILED: "failure", Verdict.ERROR: "error", Verdict.SKIPPED: "skipped"}


def junit_xml(suites: Sequence[Suite]) -> bytes:
    """The file of these suites, in UTF-8. Invisible characters that XML forbids are written as `\\x1b`."""
    root = Element("testsuites", name="deskhand", tests=str(sum(len(suite.cases) for suite in suites)))
    for verdict, counted in ((Verdict.FAILED, "failures"), (Verdict.ERROR, "errors")):
        root.set(counted, str(sum(suite.count(verdict) for suite in suites)))
    root.set("time", _time(sum(suite.took_s for suite in suites)))
    for suite in suites:
        _add_suite(root, suite)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True)


def _add_suite(root: Element, suite: Suite) -> None:
    started = datetime.fromtimestamp(suite.started_at, UTC)
    element = SubElement(
        root,
        "testsuite",
        name=_valid(suite.name),
        tests=str(len(suite.cases)),
        failures=str(suite.count(Verdict.FAILED)),
        errors=str(suite.count(Verdict.ERROR)),
        skipped=str(suite.count(Verdict.SKIPPED)),
        time=_time(suite.took_s),
        timestamp=started.strftime("%Y-%m-%dT%H:%M:%S"),
        hostname=gethostname(),
    )
    if suite.properties:
        properties = SubElement(element, "properties")
        for name, value in suite.properties.items():
            SubElement(properties, "property", name=_valid(name), value=_valid(value))
    for case in suite.cases:
        _add_case(element, suite, case)
    if suite.output:
        SubElement(element, "system-out").text = _valid(suite.output)


def _add_case(suite: Element, of: Suite, case: Case) -> None:
    element = SubElement(suite, "testcase", classname=_valid(of.name), name=_valid(case.name), time=_time(case.took_s))
    if tag := _ELEMENTS.get(case.verdict):
        problem = SubElement(element, tag, message=_valid(case.message))
        if case.kind:
            problem.set("type", _valid(case.kind))
        problem.text = _valid(case.detail or case.message)
    if case.output:
        SubElement(element, "system-out").text = _valid(case.output)


def _time(took_s: float) -> str:
    return f"{took_s:.3f}"


def _valid(text: str) -> str:
    return _INVALID.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)
