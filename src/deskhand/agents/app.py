"""The AppAgent: observes, reasons, acts and remembers in one application."""

from collections.abc import Sequence
from typing import ClassVar

from deskhand.agents.agent import BasicAgent
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import AmbiguousTarget, ElementNotFound
from deskhand.core.model import AgentKind
from deskhand.core.patterns import matches_title
from deskhand.core.ports import Model
from deskhand.core.replies import AppAgentResponse
from deskhand.core.statuses import StepVerdict
from deskhand.core.target import TargetInfo
from deskhand.pipeline.app.strategies import AppAgentProcessor
from deskhand.pipeline.observing import desktop_windows
from deskhand.pipeline.services import Services
from deskhand.states import AppAgentStateManager


class AppAgent(BasicAgent):
    """An agent of one application window. Without a host, the request is its subtask."""

    kind: ClassVar[str] = AgentKind.APP
    reply_type = AppAgentResponse
    manager_class = AppAgentStateManager
    processor_class = AppAgentProcessor
    templates = "app"

    def __init__(
        self,
        name: str,
        services: Services,
        models: Sequence[Model],
        *,
        mode: RunMode,
        target: TargetInfo,
        process_name: str,
    ) -> None:
        super().__init__(name, services, models, mode=mode, application=process_name)
        self.root = target

    async def process(self, context: Context, *, fresh: bool = False) -> StepVerdict:
        """Run one step. Raises: ElementNotFound, AmbiguousTarget where its window was named and is not certain."""
        if self.root is not None and not self.root.handle:
            self.root = _called(self.root, await desktop_windows(self))
        return await super().process(context, fresh=fresh)


def _called(named: TargetInfo, windows: Sequence[TargetInfo]) -> TargetInfo:
    """Return the window of that application with that title. Raises: ElementNotFound, AmbiguousTarget."""
    of_application = [window for window in windows if window.application.casefold() == named.application.casefold()]
    exact = [window for window in of_application if window.name == named.name]
    found = exact or [window for window in of_application if matches_title(named.name, window.name)]
    if len(found) == 1:
        return found[0]
    what = f"{len(found) or 'no'} windows of {named.application!r} are called {named.name!r}"
    shown = tuple(window.describe for window in (found or windows))
    fix = f"open are: {'; '.join(shown)}" if shown else "open one before"
    raise AmbiguousTarget(what, shown, fix=fix) if found else ElementNotFound(what, fix=fix)
