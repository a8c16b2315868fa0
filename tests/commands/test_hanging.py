"""A tool that hangs in a thread is left alone at its deadline and when the session is cancelled (contract 4.1)."""

import threading

import anyio
import pytest
from anyio import to_thread

from commands.bench import Bench, bench
from deskhand.commands import CommandDispatcher, ToolContext, standard_catalogue
from deskhand.commands.call import Call, ToolOutcome
from deskhand.commands.catalogue import Arguments, Catalogue, action
from deskhand.core.command import Command, EffectClass, Result
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.clock import SystemClock

PATIENCE_S = 10.0


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


class Nothing(Arguments):
    pass


class HangingTool:
    """A dispatcher with one more tool, `hang`, which delivers something and then blocks."""

    def __init__(self, deadline_s: float) -> None:
        self.bench: Bench = bench(FakeControl(Role.BUTTON, "Save"))
        self.hangs, self.release, self.returned = threading.Event(), threading.Event(), threading.Event()

        async def hang(tools: ToolContext, call: Call, arguments: Nothing) -> ToolOutcome:
            """Blocks."""
            tools.delivered = True
            await to_thread.run_sync(self._block, abandon_on_cancel=True)
            return ToolOutcome()

        tool = action(Nothing, hang, effect_class=EffectClass.EDIT, deadline_s=deadline_s)
        catalogue = Catalogue([*standard_catalogue(), tool])
        self.policy = RulePolicy((), Surroundings(tool=lambda _: tool.spec))
        tools = ToolContext(self.bench.desktop)
        self.dispatcher = CommandDispatcher(catalogue, tools, self.policy, SystemClock())

    def _block(self) -> None:
        self.hangs.set()
        self.release.wait(PATIENCE_S)
        self.returned.set()

    async def send(self) -> Result:
        command = Command("hang", window=await self.bench.root())
        clearances = {command.call_id: self.policy.clear(self.policy.judge(command, None))}
        return (await self.dispatcher.execute_commands([command], clearances))[0]


@pytest.mark.requires("command.one-result-each")
async def test_a_tool_that_hangs_in_a_thread_is_left_at_its_deadline_and_told_as_unknown() -> None:
    it = HangingTool(deadline_s=0.05)
    with anyio.fail_after(PATIENCE_S / 2):
        result = await it.send()
    assert not it.returned.is_set()
    assert result.error is not None
    assert (result.error.type, result.effect, result.delivered, result.retry_safe) == (
        "ActionDeadline",
        "unverifiable",
        True,
        False,
    )
    it.release.set()


@pytest.mark.requires("round.cancelled")
async def test_a_tool_that_hangs_in_a_thread_is_left_when_the_session_is_cancelled() -> None:
    it = HangingTool(deadline_s=PATIENCE_S)
    with anyio.fail_after(PATIENCE_S / 2), anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:

            async def send() -> None:
                await it.send()

            tasks.start_soon(send)
            await to_thread.run_sync(it.hangs.wait, PATIENCE_S)
            scope.cancel()
    assert not it.returned.is_set()
    it.release.set()
