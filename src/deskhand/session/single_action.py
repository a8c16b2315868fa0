"""Single actions on an open desktop, for users, scripts and other programs, under the same policy as agents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from deskhand.commands import Catalogue, CommandDispatcher, Tool, ToolContext, standard_catalogue
from deskhand.commands.call import Label
from deskhand.config.sections import Configuration
from deskhand.core.command import PLUGIN, Command, Effect, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import ClearanceMissing, DeskhandError, ElementNotFound, ErrorInfo, ReplyDefect, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.observation import Observation
from deskhand.core.ports import ConfirmationRequest, Decision, Interactor, OwnPolicy, Verdict
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import json_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.policy.engine import RulePolicy, RuleSet
from deskhand.policy.facts import Surroundings
from deskhand.session.applications import applications
from deskhand.session.clock import SystemClock
from deskhand.session.compound_result import of_parts

_OF_SESSIONS: Final = frozenset({"next_window", "annotation", "summary"})
"""Tools for agents alone: they continue from a window that may be gone, or are for the agent's next step."""


_DENIED: Final = "do it in another way, or leave it to the user: no approval allows it"


def caller_tools(more: Iterable[Tool] = ()) -> Catalogue:
    """Return the tools for callers other than agents, and more."""
    own = (tool for tool in standard_catalogue() if tool.spec.name not in _OF_SESSIONS)
    return Catalogue((*own, *more))


def offered_by(catalogue: Catalogue) -> dict[str, ToolSpec]:
    """Return the tools that agents are offered, by name."""
    return {**catalogue.specs(AgentKind.APP), **catalogue.specs(AgentKind.HOST)}


def new_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Return tools of a caller's own. Raises: UsageError for no tool, and the name of one of ours, or of another."""
    names = {tool.spec.name for tool in standard_catalogue()}
    for tool in (given := tuple(tools)):
        if not _is_tool(tool):
            raise UsageError(f"{tool!r} is no tool", fix="write @deskhand.tool above the function")
        if tool.spec.name in names:
            raise UsageError(f"there is a tool {tool.spec.name!r} already", fix="give it another name")
        names.add(tool.spec.name)
    return given


def _is_tool(value: object) -> bool:
    return isinstance(value, Tool)


def listed_arguments(schema: JsonObject) -> str:
    """Return the arguments of a tool, in words."""
    own, required = schema.get("properties"), schema.get("required")
    needed = required if isinstance(required, list) else []
    taken = [key if key in needed else f"[{key}]" for key in own] if isinstance(own, dict) else []
    return f"{', '.join(taken)} (those in brackets may be left out)" if taken else "nothing"


def of_desktop(spec: ToolSpec, arguments: JsonObject) -> bool:
    """True for a call that belongs to no window: it chooses one, or waits for one."""
    if AgentKind.HOST not in spec.audience:
        return False
    return AgentKind.APP not in spec.audience or bool(arguments.get("title"))


async def windowless(spec: ToolSpec, desktop: Desktop) -> bool:
    """Return whether a tool of a plug-in is called while no window is open: it may need none."""
    return spec.namespace == PLUGIN and not await desktop.windows()


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


class Witness(Protocol):
    """Records the commands of a caller."""

    def intended(self, command: Command) -> None:
        """Record a command that is about to be sent."""
        ...

    def finished(self, command: Command, result: Result) -> None:
        """Record the result of a command that was sent, or that only reads."""
        ...


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller other than an agent. `name`: its name in questions to the user.

    `folders`: the folders whose files may be read; None: all that the user may read. `label`: assigns ids to found
    controls, by which the caller acts on them. `rules`: as they were read before; None: they are read now. `tools`: its
    own, beside those of Deskhand; `policies`: its own, beside the rules.
    """

    name: str
    folders: tuple[Path, ...] | None = None
    label: Label | None = None
    rules: RuleSet | None = None
    tools: tuple[Tool, ...] = ()
    policies: tuple[OwnPolicy, ...] = ()


class Hand:
    """Carries out commands of a caller other than an agent."""

    def __init__(self, desktop: Desktop, configuration: Configuration, interactor: Interactor, caller: Caller) -> None:
        self.witness: Witness | None = None
        self._who = caller.name
        self._interactor = interactor
        self.catalogue = caller_tools(caller.tools)
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
        self._policy = RulePolicy(rules.rules, surroundings, restrictions=rules.restrictions, own=caller.policies)
        tools = ToolContext(
            desktop,
            known,
            effect_hold_s=configuration.system.effect_hold_s,
            application_interface=configuration.system.application_interface,
            folders=caller.folders,
            label=caller.label,
        )
        self._dispatcher = CommandDispatcher(self.catalogue, tools, self._policy, SystemClock())

    @property
    def cut_off(self) -> Result | None:
        """The partial result of a command that was cancelled while it ran; None where none was."""
        return self._dispatcher.cut_off

    async def release(self) -> None:
        """Release the keys and buttons that actions left down. Raises nothing."""
        await self._dispatcher.release()

    @property
    def all_offered(self) -> dict[str, ToolSpec]:
        """The tools that agents are offered, by name."""
        return offered_by(self.catalogue)

    def offered(self, name: str) -> ToolSpec:
        """Return a tool that agents are offered; internal tools are not available. Raises: ReplyDefect."""
        known = self.all_offered
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
        parts = self.catalogue.parts(tool, checked, lambda label, _: listed_control(seen, label))
        if parts:
            planned = (Command(part.tool, part.arguments, target=part.target) for part in parts)
            *others, last = (replace(each, window=window, seen=seen, part_of=tool) for each in planned)
            return await self._act_in_parts([*(replace(each, is_last=False) for each in others), last])
        launched = self._known.launched(str(arguments.get("application", "")), str(arguments.get("file", "")))
        self._named = frozenset({launched.id} if launched else ())  # the caller named it
        command = Command(tool, checked, spec.tool_type, target=target, window=window, seen=seen)
        if spec.tool_type is ToolType.DATA_COLLECTION:
            return self._witnessed(command, (await self._dispatcher.execute_commands([command]))[0])
        try:
            verdict = await self._judged(command)
            approved = await self._approved([verdict])
            if approved and await self._judged(command) != verdict:
                raise _changed(tool, "the user approved")
        except DeskhandError as error:
            return _refused(command, error)
        return await self._sent(command, verdict, approved=approved)

    async def _act_in_parts(self, commands: Sequence[Command]) -> Result:
        """Carry out the parts of a compound tool in order, up to the first that is not confirmed.

        All are judged, and approved where a rule demands it, before the first is sent; each once more right before it.
        Raises: NotAllowed.
        """
        try:
            verdicts = [await self._judged(command) for command in commands]
        except DeskhandError as error:
            return _refused(commands[0], error)
        approved = await self._approved(verdicts)
        results = list[Result]()
        for command, verdict in zip(commands, verdicts, strict=True):
            results.append(await self._still_allowed(command, verdict, approved=approved))
            if not results[-1].ok:
                break
        return of_parts(commands, results)

    async def _still_allowed(self, command: Command, verdict: Verdict, *, approved: bool) -> Result:
        """Send a part if it is judged as before; earlier parts may have changed the title of its window."""
        try:
            now = await self._judged(command)
            facts = replace(now.facts, window=verdict.facts.window, marks=verdict.facts.marks)
            if (now.decision, now.rule, facts) != (verdict.decision, verdict.rule, verdict.facts):
                raise _changed(command.tool_name, "was allowed")
        except DeskhandError as error:
            return _refused(command, error)
        return await self._sent(command, now, approved=approved)

    async def _sent(self, command: Command, verdict: Verdict, *, approved: bool) -> Result:
        try:
            clearance = self._policy.clear(verdict, approved=approved)
            if self.witness is not None:
                self.witness.intended(command)
            result = (await self._dispatcher.execute_commands([command], {command.call_id: clearance}))[0]
        except ClearanceMissing as error:  # the target changed since it was cleared, and nothing was sent
            result = _refused(command, error)
        return self._witnessed(command, result)

    def _witnessed(self, command: Command, result: Result) -> Result:
        if self.witness is not None:
            self.witness.finished(command, result)
        return result

    async def _judged(self, command: Command) -> Verdict:
        """Judge a command on its target and in its window as they are now. Raises: DeskhandError."""
        target = await self._dispatcher.resolve(command)
        return self._policy.judge(await self._dispatcher.in_present_windows(command), target)

    async def _approved(self, verdicts: Sequence[Verdict]) -> bool:
        """Ask the user once where a rule demands it; True where the user approved. Raises: NotAllowed."""
        denied = next((verdict for verdict in verdicts if verdict.decision is Decision.DENY), None)
        if denied is not None:
            raise NotAllowed(denied)
        held = tuple(verdict for verdict in verdicts if verdict.decision is Decision.CONFIRM)
        if not held:
            return False
        asked = self._interactor.reaches_person
        if not asked or await self._interactor.confirm(ConfirmationRequest(self._who, held, "")) is not True:
            raise NotAllowed(held[0])
        return True


def listed_control(seen: Observation | None, label: str) -> TargetInfo:
    """Return the control of this id in an observation. Raises: ElementNotFound."""
    found = next((control for control in seen.controls if control.id == label), None) if seen else None
    if found is None:
        raise ElementNotFound(f"the latest observation has no control {label!r}", fix="observe the window, use its ids")
    return found


def _changed(tool: str, judged: str) -> ClearanceMissing:
    return ClearanceMissing(f"{tool} was not sent: what {judged} changed meanwhile", fix="observe the window again")


def _refused(command: Command, error: DeskhandError) -> Result:
    return refusal(ErrorInfo.of(error), command.call_id)


def refusal(info: ErrorInfo, call_id: str = "") -> Result:
    """Return the result of a refusal before anything was sent."""
    return Result(
        ResultStatus.FAILURE, call_id, error=info, effect=Effect.REFUSED, evidence=info.message, retry_safe=True
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
