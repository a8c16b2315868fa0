"""The host's tools: choosing and launching applications (SPEC 4.2)."""

from pathlib import Path

from pydantic import Field

from deskhand.commands.catalogue import HOST, Arguments, Call, TargetArguments, ToolContext, ToolOutcome, action
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused
from deskhand.core.target import TargetKind


class TargetWindow(TargetArguments):
    """`id` is the label of a window or an agent in what the host was shown, `name` its name, to catch a wrong label."""

    id: str = Field(min_length=1, description="label of the window or agent in the list of them")


class Launch(Arguments):
    """`application` is a name from the application registry, never a command line; `file` is opened in it."""

    application: str = Field(description="a name from the application registry")
    file: str = Field(default="", description="path of a file to open in it")


async def select_application_window(tools: ToolContext, call: Call, arguments: TargetWindow) -> ToolOutcome:  # noqa: ARG001
    """Selects the window of an application for the next sub-task and brings it to the front; or an agent."""
    window = call.need_target()
    if window.kind is TargetKind.THIRD_PARTY_AGENT:
        data = {"window": "", "application": window.application}
        return ToolOutcome(data, Effect.CONFIRMED, evidence=f"{window.name} is selected; it needs no window")
    tools.delivered = True
    await tools.desktop.activate(window)
    data = {"window": window.name, "application": window.application}
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, f'"{window.name}" is in front')


async def launch_application(tools: ToolContext, call: Call, arguments: Launch) -> ToolOutcome:  # noqa: ARG001
    """Launches an application of the registry, with a file if one is given, and waits for its window."""
    application = tools.applications.get(arguments.application)
    if application is None:
        known = ", ".join(sorted(tools.applications)) or "none"
        raise ActionRefused(
            f"there is no application {arguments.application!r} in the registry; known: {known}",
            fix="use one of the known names, or add it to the configuration",
        )
    tools.delivered = True
    window = await tools.desktop.launch(application, Path(arguments.file) if arguments.file else None)
    data = {"window": window.name, "application": window.application, "handle": window.handle}
    told = f'the window "{window.name}" appeared'
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, told, retry_safe=False)


TOOLS = (
    action(TargetWindow, select_application_window, effect_class=EffectClass.NAVIGATE, audience=HOST),
    action(Launch, launch_application, effect_class=EffectClass.LAUNCH, audience=HOST, deadline_s=40.0),
)
