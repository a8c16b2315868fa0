"""The playbook model: follows a file of steps instead of asking a language model.

It is stateless. Its position follows from the request alone (`models.section_position`), its reply from the position
(`models.section_turn`). Where it stops it answers FAIL, with file:line and the reason.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from deskhand.core.errors import PlaybookInvalid
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind, ModelReply, ModelRequest, PictureLimits
from deskhand.core.ports import FollowsRecord
from deskhand.core.replies import Expectation
from deskhand.models.parameters import bind
from deskhand.models.placeholder_values import filled_expectation
from deskhand.models.placeholders import UnknownValue, Values, insert
from deskhand.models.section_position import unroll
from deskhand.models.section_turn import OF_AN_ACTION, Misfit, PlaybookStop, SectionTurn
from deskhand.models.steps import HOST, Playbook, Step


@dataclass(frozen=True, slots=True)
class Turned:
    """The answer of a playbook to a request. `misfit`: the step of `turn` that does not fit, if it stops for that."""

    reply: ModelReply
    turn: SectionTurn | None = None
    misfit: Misfit | None = None


class PlaybookModel(FollowsRecord):
    """Answers with the steps of a playbook."""

    def __init__(self, playbook: Playbook, parameters: Mapping[str, object] | None = None) -> None:
        """Raises: UsageError if a parameter is missing, unknown or of the wrong type."""
        self._playbook = playbook
        self._parameters = bind(playbook, parameters or {})

    @property
    def name(self) -> str:
        return f"playbook:{self._playbook.name}"

    @property
    def playbook(self) -> Playbook:
        return self._playbook

    @property
    def pictures(self) -> PictureLimits | None:
        return None

    @property
    def subtasks(self) -> tuple[str, ...]:
        """Subtasks of the host's steps, in order."""
        handed_out = (step.subtask for step in self._playbook.host if step.status == "ASSIGN")
        return tuple(dict.fromkeys(insert(subtask, self._parameters) for subtask in handed_out))

    def final_expectation(self, data: Mapping[str, JsonValue]) -> Expectation | None:
        """Expectation of the host's FINISH, for runs where a plan replaces the host; None: none.

        `data` are the saved values. Raises: PlaybookInvalid if it needs a value that was not saved.
        """
        ends = [step for step in self._playbook.host if step.status == "FINISH" and not step.conditional]
        last = ends[0] if ends else None
        if last is None or last.expect is None:
            return None
        try:
            wanted = filled_expectation(last.expect, {**data, **self._parameters})
        except UnknownValue as error:
            raise PlaybookInvalid(f"{self._playbook.source}:{last.line}: {error}") from error
        return Expectation.model_validate(wanted).model_copy(update=OF_AN_ACTION)

    async def respond(self, request: ModelRequest) -> ModelReply:
        """The next step as a reply; FAIL with the reason in `comment` if the playbook does not fit.

        The reply's `position` is the number of steps, loops unrolled, that are done or skipped.
        """
        return self.turned(request).reply

    def turned(self, request: ModelRequest) -> Turned:
        """The reply, and the step that does not fit if that is why it is FAIL."""
        turn, position, misfit = None, None, None
        content: JsonObject
        try:
            section, steps = self._section(request)
            values: Values = {**request.blackboard, **self._parameters}
            turn = SectionTurn(self._playbook, section, steps, unroll(steps, values), values, request)
            position = turn.position()
            content = turn.answer(position)
        except PlaybookStop as stop:
            misfit = stop.misfit
            content = {"status": "FAIL", "thought": "The playbook stops here.", "comment": str(stop)}
        text = json.dumps(content, ensure_ascii=False)
        return Turned(ModelReply(content, text, model=self.name, position=position), turn, misfit)

    def _section(self, request: ModelRequest) -> tuple[str, tuple[Step, ...]]:
        playbook = self._playbook
        if request.agent == AgentKind.HOST:
            if not playbook.host:
                raise PlaybookStop(f"{playbook.source}: the playbook has no steps for the host")
            return HOST, playbook.host
        if not playbook.host:
            return next(iter(playbook.agents.items()))
        for step in playbook.host:
            if step.status == "ASSIGN" and insert(step.subtask, self._parameters) == request.subtask:
                return step.agent, playbook.agents[step.agent]
        known = ", ".join(map(repr, self.subtasks)) or "none"
        raise PlaybookStop(
            f"{playbook.source}: no ASSIGN step has the subtask {request.subtask!r}; the subtasks are: {known}"
        )
