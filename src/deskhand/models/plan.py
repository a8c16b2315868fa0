"""Model of the HostAgent in follower mode: assigns the steps of a plan in order."""

import json
from collections.abc import Sequence

from deskhand.core.json import JsonObject
from deskhand.core.model import Document, ModelReply, ModelRequest, PictureLimits
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind


class PlanModel:
    """Assigns the round's request, which is a step of the plan, to the agent of the window it is meant for.

    It is stateless. That window is the front one of `windows`, which the session opened for the plan; once they are
    closed, the one that shows the file opened last, else another of the same application. A modal dialog takes
    precedence over the window it blocks. If the session opened none, it is the window in front.
    """

    def __init__(self, task: str, windows: Sequence[TargetInfo] = ()) -> None:
        """`task`: the purpose of the steps, passed to each agent."""
        self._task = task
        self._windows = tuple(windows)

    @property
    def name(self) -> str:
        return "plan"

    @property
    def pictures(self) -> PictureLimits | None:
        return None

    async def respond(self, request: ModelRequest) -> ModelReply:
        """ASSIGN with the step as its subtask; FAIL if there is no window for it."""
        content = self._answer(request)
        return ModelReply(content=content, text=json.dumps(content, ensure_ascii=False), model=self.name)

    def _answer(self, request: ModelRequest) -> JsonObject:
        shown = [target for target in request.controls if target.kind is TargetKind.WINDOW]
        window = self._window(shown, request.documents)
        if window is None:
            return {"status": "FAIL", "thought": "The plan cannot go on.", "comment": self._nowhere(shown)}
        return {
            "status": "ASSIGN",
            "thought": "The next step of the plan.",
            "current_subtask": request.request,
            "message": [f"This is one step of a plan. The whole task: {self._task}"] if self._task else [],
            "control_label": window.id,
            "control_text": window.name,
        }

    def _window(self, shown: Sequence[TargetInfo], documents: Sequence[Document]) -> TargetInfo | None:
        handles = {window.handle for window in self._windows}
        applications = {window.application for window in self._windows}
        mine = [window for window in shown if window.handle in handles]
        last = documents[-1].window if documents else None
        mine = mine or [window for window in shown if last is not None and window.handle == last.handle]
        mine = mine or [window for window in shown if window.application in applications or not self._windows]
        chosen = next((window for window in mine if window.type is Role.WINDOW), mine[0] if mine else None)
        return chosen and _in_the_way(shown, chosen)

    def _nowhere(self, shown: Sequence[TargetInfo]) -> str:
        wanted = ", ".join(sorted({window.application for window in self._windows})) or "any application"
        there = ", ".join(f'"{window.name}"' for window in shown) or "none"
        return f"no window of {wanted} is open to carry out the step in; windows that are open: {there}"


def _in_the_way(shown: Sequence[TargetInfo], window: TargetInfo) -> TargetInfo:
    """The modal dialog in front of a window, else the window."""
    for other in shown:
        if other.handle == window.handle:
            break
        if "modal" in other.states and window.pid is not None and other.pid == window.pid:
            return other
    return window
