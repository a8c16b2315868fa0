"""Deskhand carries out requests in plain language in real desktop applications, and proves what it did.

`await deskhand.run(request, model=…)` is the whole product as one call; the other names are for those who extend it
(contract 6). They are imported when they are first used.
"""

TYPE_CHECKING = False  # that of `typing`, whose import would take a sixth of a served command

if TYPE_CHECKING:
    from deskhand.agents import AppAgent, HostAgent
    from deskhand.commands import ToolContext, ToolOutcome
    from deskhand.commands.call import Call
    from deskhand.commands.function_tool import tool
    from deskhand.core.command import Command, Result
    from deskhand.core.ports import ActionFacts, OwnPolicy
    from deskhand.core.statuses import AgentStatus, AppAgentStatus, HostAgentStatus
    from deskhand.core.target import TargetInfo
    from deskhand.memory import Blackboard
    from deskhand.models.setup import ModelSetup
    from deskhand.pipeline.framework import (
        BaseProcessingStrategy,
        ComposedStrategy,
        ProcessingPhase,
        ProcessingResult,
        depends_on,
        provides,
    )
    from deskhand.pipeline.middleware import ProcessorMiddleware
    from deskhand.pipeline.processor import ProcessorTemplate
    from deskhand.scripting import ActionFailed, Desktop, ExpectationFailed, Locator, Window, expect, open_desktop
    from deskhand.session import Session, run
    from deskhand.session.control_client import RunningSession, running_session
    from deskhand.states import AgentState, AgentStateManager, AppAgentStateManager, HostAgentStateManager

    __version__: str

_HOMES = {
    "ActionFacts": "deskhand.core.ports",
    "ActionFailed": "deskhand.scripting",
    "AgentState": "deskhand.states",
    "AgentStateManager": "deskhand.states",
    "AgentStatus": "deskhand.core.statuses",
    "AppAgent": "deskhand.agents",
    "AppAgentStateManager": "deskhand.states",
    "AppAgentStatus": "deskhand.core.statuses",
    "BaseProcessingStrategy": "deskhand.pipeline.framework",
    "Blackboard": "deskhand.memory",
    "Command": "deskhand.core.command",
    "ComposedStrategy": "deskhand.pipeline.framework",
    "Desktop": "deskhand.scripting",
    "ExpectationFailed": "deskhand.scripting",
    "HostAgent": "deskhand.agents",
    "HostAgentStateManager": "deskhand.states",
    "HostAgentStatus": "deskhand.core.statuses",
    "Locator": "deskhand.scripting",
    "ModelSetup": "deskhand.models.setup",
    "OwnPolicy": "deskhand.core.ports",
    "ProcessingPhase": "deskhand.pipeline.framework",
    "ProcessingResult": "deskhand.pipeline.framework",
    "ProcessorMiddleware": "deskhand.pipeline.middleware",
    "ProcessorTemplate": "deskhand.pipeline.processor",
    "Result": "deskhand.core.command",
    "RunningSession": "deskhand.session.control_client",
    "Session": "deskhand.session",
    "TargetInfo": "deskhand.core.target",
    "Window": "deskhand.scripting",
    "depends_on": "deskhand.pipeline.framework",
    "expect": "deskhand.scripting",
    "open_desktop": "deskhand.scripting",
    "provides": "deskhand.pipeline.framework",
    "run": "deskhand.session",
    "running_session": "deskhand.session.control_client",
    "tool": "deskhand.commands.function_tool",
    "ToolOutcome": "deskhand.commands",
    "ToolContext": "deskhand.commands",
    "Call": "deskhand.commands.call",
}

__all__ = [
    "ActionFacts",
    "ActionFailed",
    "AgentState",
    "AgentStateManager",
    "AgentStatus",
    "AppAgent",
    "AppAgentStateManager",
    "AppAgentStatus",
    "BaseProcessingStrategy",
    "Blackboard",
    "Call",
    "Command",
    "ComposedStrategy",
    "Desktop",
    "ExpectationFailed",
    "HostAgent",
    "HostAgentStateManager",
    "HostAgentStatus",
    "Locator",
    "ModelSetup",
    "OwnPolicy",
    "ProcessingPhase",
    "ProcessingResult",
    "ProcessorMiddleware",
    "ProcessorTemplate",
    "Result",
    "RunningSession",
    "Session",
    "TargetInfo",
    "ToolContext",
    "ToolOutcome",
    "Window",
    "depends_on",
    "expect",
    "open_desktop",
    "provides",
    "run",
    "running_session",
    "tool",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module  # noqa: PLC0415 - as above

        return getattr(import_module(_HOMES[name]), name)
    if name == "__version__":
        return _version()
    raise AttributeError(f"module 'deskhand' has no attribute {name!r}")


def _version() -> str:
    # Half of what `deskhand --help` would wait for otherwise.
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("deskhand")
    except PackageNotFoundError:
        return "0"
