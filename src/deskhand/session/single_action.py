"""Single actions on an open desktop, for users, scripts and other programs, under the same policy as agents."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.commands import Catalogue, CommandDispatcher, ToolContext, standard_catalogue
from deskhand.commands.call import Label
from deskhand.config.sections import Configuration
from deskhand.core.command import Command, Effect, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import ClearanceMissing, DeskhandError, ErrorInfo, ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.observation import Observation
from deskhand.core.ports import ConfirmationRequest, Decision, Interactor, Verdict
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import json_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.policy.engine import RulePolicy, RuleSet
from deskhand.policy.facts import Surroundings
from deskhand.session.applications import applications
from deskhand.session.clock import SystemClock

_OF_SESSIONS: Final = frozenset({"next_window"})
"""Tools for agents alone: they continue from a window that may be gone."""


_DENIED: Final = "do it in another way, or leave it to the user: no approval allows it"


def caller_tools() -> Catalogue:
    """Return the tools for callers other than agents."""
    return Catalogue(tool for tool in standard_catalogue() if tool.spec.name not in _OF_SESSIONS)


class NotAllowed(Exception):
    """A rule denies the action, or demands an approval that was not given. `verdict` has the rule and its reason."""

    def __init__(self, verdict: Verdict) -> None:
        is_denied = verdict.decision is Decision.DENY
        happened = "denied by" if is_denied else "not approved, which is wanted by"
        super().__init__(f"{happened} rule {verdict.rule}: {verdict.reason}")
        self.verdict = verdict

    def told(self, how_to_approve: str) -> ErrorInfo:
        """Return it as an error, with advice: `how_to_approve`, if an approval would do."""
        denied = self.verdict.decision is Decision.DENY
        return ErrorInfo("NotAllowed", str(self), _DENIED if denied else how_to_approve)


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller other than an agent. `name`: its name in questions to the user.

    `folders`: the folders whose files may be read; None: all that the user may read. `label`: assigns ids to found
    controls, by which the caller acts on them. `rules`: as they were read before; None: they are read now.
    """

    name: str
    folders: tuple[Path, ...] | None = None
    label: Label | None = None
    rules: RuleSet | None = None


class Hand:
    """Carries out commands of a caller other than an agent."""

    def __init__(self, desktop: Desktop, configuration: Configuration, interactor: Interactor, caller: Caller) -> None:
        self._who = caller.name
        self._interactor = interactor
        self.catalogue = caller_tools()
        known = applications(configuration.applications)
        self._known = known
        self._named = frozenset[str]()
        surroundings = Surroundings(
            tool=self.catalogue.spec,
            launched=known.launched,
            named_in_requests=lambda: self._named,
            file_of=lambda window: desktop.file_of(window).if_certain,
        )
        rules = caller.rules or RuleSet.configured(configuration.policy)
        self._policy = RulePolicy(rules.rules, surroundings, restrictions=rules.restrictions)
        hold_s = configuration.system.effect_hold_s
        tools = ToolContext(desktop, known, effect_hold_s=hold_s, folders=caller.folders, label=caller.label)
        self._dispatcher = CommandDispatcher(self.catalogue, tools, self._policy, SystemClock())

    @property
    def cut_off(self) -> Result | None:
        """The partial result of a command that was cancelled while it ran; None where none was."""
        return self._dispatcher.cut_off

    def offered(self, name: str) -> ToolSpec:
        """Return a tool that agents are offered; internal tools are not available. Raises: ReplyDefect."""
        known = {**self.catalogue.specs(AgentKind.APP), **self.catalogue.specs(AgentKind.HOST)}
        if name not in known:
            raise ReplyDefect(f"there is no tool {name!r}; there are: {', '.join(sorted(known))}")
        return known[name]

    def known(self, name: str) -> ToolSpec:
        """Return any tool of the catalogue. Raises: ReplyDefect."""
        spec = self.catalogue.spec(name)
        if spec is None:
            listed = ", ".join(sorted(tool.spec.name for tool in self.catalogue))
            raise ReplyDefect(f"there is no tool {name!r}; there are: {listed}")
        return spec

    async def act(
        self,
        tool: str,
        arguments: JsonObject,
        *,
        target: TargetInfo | None = None,
        window: TargetInfo | None = None,
        seen: Observation | None = None,
    ) -> Result:
        """Carry out one command, judged on its target as it is now.

        The result includes refusals. Raises: ReplyDefect (unknown tool, wrong arguments), NotAllowed.
        """
        spec = self.known(tool)
        checked = self.catalogue.validate(tool, arguments)
        launched = self._known.launched(str(arguments.get("application", "")), str(arguments.get("file", "")))
        self._named = frozenset({launched.id} if launched else ())  # the caller named it
        command = Command(tool, checked, spec.tool_type, target=target, window=window, seen=seen)
        if spec.tool_type is ToolType.DATA_COLLECTION:
            return (await self._dispatcher.execute_commands([command]))[0]
        try:
            verdict = await self._judged(command)
            approved = await self._approved(verdict)
            if approved and await self._judged(command) != verdict:
                raise ClearanceMissing(
                    f"{tool} was not sent: what the user approved changed meanwhile", fix="observe the window again"
                )
        except DeskhandError as error:
            return _refused(command, error)
        try:
            clearance = self._policy.clear(verdict, approved=approved)
            return (await self._dispatcher.execute_commands([command], {command.call_id: clearance}))[0]
        except ClearanceMissing as error:  # the target changed since it was cleared, and nothing was sent
            return _refused(command, error)

    async def _judged(self, command: Command) -> Verdict:
        """Judge a command on its target and in its window as they are now. Raises: DeskhandError."""
        target = await self._dispatcher.resolve(command)
        return self._policy.judge(await self._dispatcher.in_present_windows(command), target)

    async def _approved(self, verdict: Verdict) -> bool:
        """Ask the user where a rule demands it; True where the user approved. Raises: NotAllowed."""
        if verdict.decision is Decision.ALLOW:
            return False
        request = ConfirmationRequest(self._who, (verdict,), "")
        asked = verdict.decision is Decision.CONFIRM and self._interactor.reaches_person
        if not asked or not await self._interactor.confirm(request):
            raise NotAllowed(verdict)
        return True


def _refused(command: Command, error: DeskhandError) -> Result:
    """Return the result of a refusal before anything was sent."""
    info = ErrorInfo.of(error)
    return Result(
        ResultStatus.FAILURE, command.call_id, error=info, effect=Effect.REFUSED, evidence=info.message, retry_safe=True
    )


def result_json(result: Result) -> JsonObject:
    """Return a result as the object of contract 6."""
    error = result.error
    told: JsonValue = None
    if error is not None:
        told = {"type": error.type, "message": error.message, "candidates": [*error.candidates], "fix": error.fix}
    return {
        "status": result.status.value,
        "effect": result.effect.value if result.effect else None,
        "route": result.route.value if result.route else None,
        "evidence": result.evidence,
        "error": told,
        "delivered": result.delivered,
        "retry_safe": result.retry_safe,
        "result": json_of(result.result),
    }
