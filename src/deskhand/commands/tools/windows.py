"""The host's tools: choosing and launching applications (SPEC 4.2)."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from deskhand.commands.catalogue import HOST, Arguments, Call, TargetArguments, ToolContext, ToolOutcome, action
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused, AmbiguousTarget, ApplicationAmbiguous, UsageError
from deskhand.core.target import TargetKind
from deskhand.desktop.applications import Applications, path_given
from deskhand.desktop.base import Application


class TargetWindow(TargetArguments):
    """`id` is the label of a window or an agent in what the host was shown, `name` its name, to catch a wrong label."""

    id: str = Field(min_length=1, description="label of the window or agent in the list of them")


class Launch(Arguments):
    """`application` is a name, never a command line; `file` is opened in it, or in what opens such files."""

    application: str = Field(default="", description="its name; empty: the one that opens files like `file`")
    file: str = Field(default="", description="path of a file or folder to open")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.application.strip() and not self.file:
            raise ValueError("either application or file says what to launch")
        return self


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
    """Launches an application, with a file if one is given, or what opens a file, and waits for its window."""
    file = path_given(arguments.file) if arguments.file else None
    try:
        application = _chosen(tools.applications, arguments.application, file)
    except ApplicationAmbiguous as error:
        raise AmbiguousTarget(error.message, error.candidates, fix=error.fix) from error
    except UsageError as error:
        raise ActionRefused(error.message, fix=error.fix) from error
    tools.delivered = True
    window = await tools.desktop.launch(application, file)
    data = {"window": window.name, "application": window.application, "handle": window.handle}
    told = f'the window "{window.name}" appeared'
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, told, retry_safe=False)


def _chosen(applications: Applications, name: str, file: Path | None) -> Application:
    """What is launched. Raises: UsageError."""
    if name.strip() or file is None:
        return applications.find(name).application
    if not file.exists():
        raise UsageError(f"there is no file {file}", fix="give the path of a file that is there, or an application")
    return applications.opener(file).application


TOOLS = (
    action(TargetWindow, select_application_window, effect_class=EffectClass.NAVIGATE, audience=HOST),
    action(Launch, launch_application, effect_class=EffectClass.LAUNCH, audience=HOST, deadline_s=40.0),
)
