"""What an error makes of a step: one table, and one place that decides (contract 3.1)."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from deskhand.core import errors
from deskhand.core.errors import AmbiguousTarget, CommandFailed, DeskhandError, ErrorInfo
from deskhand.core.model import AgentKind
from deskhand.pipeline.step_status import after_failure
from support import ROOT

SOURCE = ROOT / "src/deskhand"

AGAIN = {
    "GroundingError",
    "GroundingUnavailable",
    "GroundingInvalid",
    "TextsUnread",
    "WaitTimedOut",
    "ToolServerError",
    "ToolServerUnavailable",
    "ToolServerInvalid",
    "ToolServerRefused",
    "NotificationFailed",
    "PluginError",
    "PluginBroken",
    "ToolFailed",
    "LaunchFailed",
    "CaptureFailed",
    "ElementNotFound",
    "ElementStale",
    "AmbiguousTarget",
    "ActionDeadline",
    "PersonActs",
    "PersonStays",
    "ActionRefused",
    "ChangeRefused",
    "TargetHidden",
    "TargetDisabled",
    "TargetCovered",
    "NotInFront",
    "TargetMoving",
    "InterfaceAbsent",
    "NotOffered",
    "TableNotFound",
    "BudgetSpent",
}
HOST_ONLY = {"ApplicationGone", "ApplicationUnresponsive", "NotAccessible"}
ERROR = {
    "DeskhandError",
    "UsageError",
    "ConfigurationError",
    "PlaybookInvalid",
    "StepsInvalid",
    "ApplicationUnknown",
    "ApplicationAmbiguous",
    "ApplicationUnusable",
    "NothingOpens",
    "MissingRequirement",
    "DesktopError",
    "DesktopGone",
    "DesktopBusy",
    "StoppedByPerson",
    "DesktopStartFailed",
    "PipelineError",
    "ProcessingError",
    "ModelError",
    "ModelUnavailable",
    "ModelBusy",
    "ModelBroken",
    "ModelSilent",
    "ModelDenied",
    "RequestRejected",
    "RequestTooLong",
    "ModelRefused",
    "ReplyInvalid",
    "ReplyDefect",
    "StateError",
    "DuplicateState",
    "IllegalTransition",
    "DispatchError",
    "ClearanceMissing",
    "StoreError",
    "StoreBusy",
    "KnowledgeUnusable",
    "RegistryUnusable",
    "FileOutOfBounds",
    "FleetError",
    "ClusterUnavailable",
    "NodeLost",
    "NodeSilent",
    "NodesMissing",
}
INSIDE_COUNTS = {"CommandFailed"}
"""What came back from a tool counts as what the tool said."""
OF_SCRIPTS = {"BacktraceMissing", "ResetFailed"}
"""No agent can ask for what fails there."""


def classes(root: type[DeskhandError]) -> Iterator[type[DeskhandError]]:
    yield root
    for kind in root.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield from classes(kind)


def made(name: str) -> DeskhandError:
    kind = {each.__name__: each for each in classes(DeskhandError)}[name]
    return AmbiguousTarget("it broke", ("a", "b")) if kind is AmbiguousTarget else kind("it broke")


def verdicts(error: Exception) -> list[tuple[str, str, str]]:
    """For an AppAgent, a host and an agent that plugs in: status, cause and trigger, while the allowance lasts."""
    info = ErrorInfo.of(error)
    found = [after_failure(info, kind, 3, 3) for kind in (AgentKind.APP, AgentKind.HOST, "shell")]
    assert all("it broke" in verdict.reason for verdict in found)
    return [(verdict.status, verdict.cause.value, verdict.trigger) for verdict in found]


CONTINUES = ("CONTINUE", "system", "corrected")
GONE = ("FAIL", "system", "gone")
RAISED = ("ERROR", "system", "raised")
EXPECTED = {
    **{name: [CONTINUES] * 3 for name in AGAIN},
    **{name: [GONE, CONTINUES, GONE] for name in HOST_ONLY},
    **{name: [RAISED] * 3 for name in ERROR},
}


def test_every_error_has_its_place_in_the_table() -> None:
    assert {kind.__name__ for kind in classes(DeskhandError)} == EXPECTED.keys() | INSIDE_COUNTS | OF_SCRIPTS


@pytest.mark.requires("pipeline.error-status")
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_error_becomes_what_the_table_says(name: str) -> None:
    assert verdicts(made(name)) == EXPECTED[name]
    assert verdicts(CommandFailed(ErrorInfo.of(made(name)))) == EXPECTED[name]


@pytest.mark.requires("pipeline.error-status")
@pytest.mark.parametrize("error", [ValueError("it broke"), KeyError("it broke"), TimeoutError("it broke")])
def test_what_nobody_named_is_an_error(error: Exception) -> None:
    assert verdicts(error) == [RAISED] * 3


@pytest.mark.requires("pipeline.error-status")
@pytest.mark.parametrize("name", sorted(AGAIN))
@pytest.mark.parametrize("kind", [AgentKind.APP, AgentKind.HOST])
def test_the_allowance_is_how_many_steps_in_a_row_may_fail(name: str, kind: str) -> None:
    info = ErrorInfo.of(made(name))
    triggers = [after_failure(info, kind, failed, 2).trigger for failed in (1, 2, 3, 4)]
    assert triggers == ["corrected", "corrected", "spent", "spent"]
    assert after_failure(info, kind, 1, 0).trigger == "spent"
    assert after_failure(replace(info, fix="Install it."), kind, 1, 0).reason.endswith("To do: Install it.")


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [
        (path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text("utf-8")))
        for path in sorted(SOURCE.rglob("*.py"))
    ]


def calls(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def names_failing(argument: ast.expr) -> bool:
    """Whether an argument is FAIL or ERROR, written in whatever way."""
    word = argument.attr if isinstance(argument, ast.Attribute) else getattr(argument, "value", None)
    return word in {"FAIL", "ERROR"}


def where(name: str, argument: int) -> set[str]:
    """The files in which that argument of calls of `name` is FAIL or ERROR."""
    return {
        path
        for path, tree in trees()
        for call in calls(tree, name)
        if len(call.args) > argument and names_failing(call.args[argument])
    }


@pytest.mark.requires("pipeline.one-mapping")
@pytest.mark.long
def test_no_other_place_makes_a_step_fail() -> None:
    """Everything else passes a model's claim on, or a verdict that was made there."""
    assert where("StepVerdict", 0) == {"pipeline/step_status.py"}


@pytest.mark.requires("pipeline.one-mapping")
@pytest.mark.long
def test_states_fail_only_where_nothing_was_done_and_the_round_only_for_what_a_state_raised() -> None:
    """Nobody answered in time, the round's allowance for vanished windows is spent; and contract 2.3's `raised`."""
    assert where("redirect", 1) == {"states/waiting.py", "states/host.py", "session/round.py"}


@pytest.mark.requires("pipeline.one-mapping")
@pytest.mark.long
def test_what_an_error_allows_is_asked_only_where_it_is_known_what_for() -> None:
    """Verdict of a step; of a session no agent began; exit code; `not yet`; an effect that nothing came of."""
    asking = {
        path
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"recoverable", "host_only"}
    }
    assert asking == {
        "core/errors.py",
        "pipeline/step_status.py",
        "pipeline/dispatching.py",  # refused before anything was sent, or broken
        "session/build.py",
        "cli/console.py",
        "operator/computer.py",  # a failure that the vendor's model reads, or the end of its loop
        "scripting/desktop.py",  # a condition of the script's own may hold later
        "desktop/notifier.py",
        "desktop/fake/desktop.py",
    }


@pytest.mark.requires("pipeline.one-mapping")
@pytest.mark.parametrize("path", ["pipeline/processor.py", "pipeline/acting.py"])
def test_both_ways_a_step_can_fail_ask_that_one_place(path: str) -> None:
    """A phase that raised, and actions that did."""
    assert list(calls(ast.parse(Path(SOURCE / path).read_text("utf-8")), "after_failure"))
