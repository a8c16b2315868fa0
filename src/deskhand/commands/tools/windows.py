"""The host's tools: choosing and launching applications (contract 4.2)."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import HOST, Arguments, TargetArguments, action
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused, AmbiguousTarget, ApplicationAmbiguous, UsageError
from deskhand.core.roles import Role
from deskhand.core.target import TargetKind
from deskhand.desktop.applications import Applications, path_given
from deskhand.desktop.protocols.windows import Application


class TargetWindow(TargetArguments):
    """`id` is the label of a window or an agent in the host's list, `name` its name, to catch a wrong label."""

    id: str = Field(min_length=1, description="label of the window or agent in the list of them")


class Launch(Arguments):
    """`application` is a name, never a command line; `file` is opened in it, or in its default application."""

    application: str = Field(default="", description="its name; empty: the one that opens files like `file`")
    file: str = Field(default="", description="path of a file or folder to open")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.application.strip() and not self.file:
            raise ValueError("give application, file or both")
        return self


async def select_application_window(tools: ToolContext, call: Call, arguments: TargetWindow) -> ToolOutcome:  # noqa: ARG001
    """Selects a window, which comes to the front, or an agent, for the next subtask."""
    window = call.need_target()
    if window.kind is TargetKind.THIRD_PARTY_AGENT:
        data = {"window": "", "application": window.application}
        return ToolOutcome(data, Effect.CONFIRMED, evidence=f"{window.name} is selected; it needs no window")
    tools.delivered = True
    await tools.desktop.activate(window)
    data = {"window": window.name, "application": window.application}
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, f'"{window.name}" is in front')


async def launch_application(tools: ToolContext, call: Call, arguments: Launch) -> ToolOutcome:  # noqa: ARG001
    """Launches an application, or opens a file, and waits for the window."""
    file = path_given(arguments.file) if arguments.file else None
    try:
        application = _chosen(tools.applications, arguments.application, file)
    except ApplicationAmbiguous as error:
        raise AmbiguousTarget(error.message, error.candidates, fix=error.fix) from error
    except UsageError as error:
        raise ActionRefused(error.message, fix=error.fix) from error
    open_before = {window.handle for window in await tools.desktop.windows()}
    tools.delivered = True
    window = await tools.desktop.launch(application, file)
    data = {"window": window.name, "application": window.application, "handle": window.handle, "pid": window.pid}
    kind = "dialog" if window.type is Role.DIALOG else "window"
    message = f'the {kind} "{window.name}" {"was open already" if window.handle in open_before else "appeared"}'
    return ToolOutcome(data, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, message, retry_safe=False)


def _chosen(applications: Applications, name: str, file: Path | None) -> Application:
    """The application to launch. Raises: UsageError."""
    if file is not None and not file.exists():
        fix = "give the path of a file that is there, or launch an application without one and save under that name"
        raise UsageError(f"there is no file {file}", fix=fix)
    if file is None:
        return applications.find(name).application
    return (applications.with_file(name) if name.strip() else applications.opener(file)).application


_WINDOW = Expects((Rule("", "the window"),))

TOOLS = (
    action(TargetWindow, select_application_window, effect_class=EffectClass.NAVIGATE, audience=HOST, expects=_WINDOW),
    action(
        Launch, launch_application, effect_class=EffectClass.LAUNCH, audience=HOST, expects=_WINDOW, deadline_s=40.0
    ),
)
