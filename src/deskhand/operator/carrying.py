"""Actions of a vendor's loop, carried out one by one under the policy; the outcome is the effect that was read back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand import Command
from deskhand.agent_parts import (
    ActionCommandInfo,
    ActionExecutor,
    AppAgentProcessorContext,
    Gate,
    Judgement,
    PipelineAgent,
    PlannedAction,
    desktop_picture,
    encoded_part,
    observe_window,
)
from deskhand.core.errors import CommandFailed, ErrorInfo, ReplyDefect, StateError
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture as Pixels
from deskhand.core.ports import Decision
from deskhand.core.replies import ReplyAction
from deskhand.core.text import as_line
from deskhand.operator.actions import (
    Action,
    ActionOutcome,
    Codec,
    CursorPosition,
    Picture,
    SafetyCheck,
    Screenshot,
    Size,
    Zoom,
)
from deskhand.operator.agent_sight import AgentSight
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.places import NotDone, Places
from deskhand.operator.planning import Plan, Planner, require_seen

_LONGEST: Final = 600
"""Characters of an outcome."""
_SAFETY_RULE: Final = "safety check of the model's vendor"


@dataclass(frozen=True, slots=True)
class Done:
    """The result of one action. `info`: its command and result, if a tool was called; `error`: the reason why none was,
    if that may end the step's agent. `held`: it waits for the user's approval, and there is no outcome yet.
    """

    outcome: ActionOutcome
    info: ActionCommandInfo | None = None
    error: ErrorInfo | None = None
    held: tuple[tuple[PlannedAction, ...], Judgement] | None = None


class Carrier:
    """Carries out the actions of one step."""

    def __init__(
        self, agent: PipelineAgent, context: AppAgentProcessorContext, shown: ShownScreen, codec: Codec
    ) -> None:
        self.executor = ActionExecutor(agent, context.shared, context.session_step)
        self._agent = agent
        self._context = context
        self._shown = shown
        self._codec = codec
        self._sight = AgentSight(agent)
        self._places = Places(self._sight, shown)
        self._planner = Planner(self._places, shown)

    async def carry_out(self, action: Action, checks: Sequence[SafetyCheck] = ()) -> Done:
        """Carry out one action, or hold it for the user's approval: where a rule wants that, or for safety `checks`.

        A failure is its outcome.
        """
        try:
            if not checks and (looked := await self._looked(action)) is not None:
                return Done(looked)
            plan = await self._planner.plan(action)
            require_seen(plan, self._shown)
            return await self._run(self._command(plan), plan.words, checks)
        except CommandFailed as error:
            return Done(_failure(error.message), error=error.error)
        except (ReplyDefect, NotDone) as error:
            return Done(_failure(error.message))

    async def _looked(self, action: Action) -> ActionOutcome | None:
        """The outcome of an action that only reads; None for any other."""
        match action:
            case Screenshot():
                await observe_window(self._agent, self._context.shared, fresh=False)  # until it is quiet
                picture = await desktop_picture(self._agent, self._context.shared)
                return ActionOutcome("", encoded(picture, picture.rect, self._shown.size))
            case Zoom(corner, opposite):
                return await self._zoomed(self._shown.place(corner, opposite))
            case CursorPosition():
                spot = self._shown.spot(await self._sight.pointer())
                return ActionOutcome(f"X={spot.x},Y={spot.y}")
            case _:
                return None

    async def _zoomed(self, part: Rect) -> ActionOutcome:
        picture = await desktop_picture(self._agent, self._context.shared)
        size = self._codec.fit(Size(part.width, part.height), enlarge=True)
        lines = await self._places.listed(part)
        heading = "Controls in this region, with their places in the whole screenshot:"
        text = "\n".join((heading, *lines)) if lines else "No control is exposed in this region."
        return ActionOutcome(text, encoded(picture, part, size))

    def _command(self, plan: Plan) -> PlannedAction:
        """Raises: ReplyDefect for arguments that the tool does not take."""
        catalogue = self._agent.services.dispatcher.catalogue
        spec = catalogue.spec(plan.tool)
        if spec is None:
            raise StateError(f"there is no tool {plan.tool!r}")
        checked = catalogue.validate(plan.tool, plan.arguments)
        window = plan.window or self._agent.root
        command = Command(plan.tool, checked, spec.tool_type, target=plan.control, window=window, seen=plan.seen)
        return PlannedAction(ReplyAction(function=plan.tool, args=checked), command, spec)

    async def _run(self, item: PlannedAction, words: str, checks: Sequence[SafetyCheck]) -> Done:
        planned = (item,)
        judgement = self.executor.judge(planned)
        if judgement.gate in {Gate.DENIED, Gate.REJECTED}:
            (info,) = self.executor.refuse_all(planned, judgement)
            return Done(outcome_of(info), info)
        if checks:
            judgement = _with_checks(judgement, checks)
        if judgement.gate is Gate.HELD:
            return Done(ActionOutcome(""), held=(planned, judgement))
        (info,) = await self.executor.run(planned)
        return Done(outcome_of(info, words), info)


def outcome_of(info: ActionCommandInfo, words: str = "") -> ActionOutcome:
    """The outcome of an action whose command was run: its effect and the evidence."""
    result = info.result
    if not info.done:
        return _failure(". ".join(filter(None, (info.problem() or "it failed", info.advice))))
    effect = "" if result.effect is None else result.effect.value.replace("_", " ")
    read = f"{effect}: {result.evidence}" if effect and result.evidence else effect
    return ActionOutcome(as_line(". ".join(filter(None, (words or info.action_string, read))), _LONGEST))


def _failure(message: str) -> ActionOutcome:
    return ActionOutcome(as_line(message, _LONGEST), failed=True)


def _with_checks(judgement: Judgement, checks: Sequence[SafetyCheck]) -> Judgement:
    """A judgement that waits for the user, who is shown the vendor's concerns."""
    concerns = "; ".join(filter(None, (check.message or check.code for check in checks))) or "no reason given"
    verdicts = tuple(
        replace(
            verdict,
            decision=Decision.CONFIRM,
            rule=_SAFETY_RULE if verdict.decision is Decision.ALLOW else verdict.rule,
            reason=f"{_SAFETY_RULE}: {concerns}; {verdict.reason}",
        )
        for verdict in judgement.verdicts
    )
    return Judgement(Gate.HELD, verdicts, judgement.refusals)


def encoded(picture: Pixels, part: Rect, size: Size) -> Picture:
    """A part of the screen as it is sent."""
    made = encoded_part(picture, part, (size.width, size.height))
    return Picture(made.data, size, made.media_type)
