"""The application's own interface to the document of a call's window, where there is one."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.effects.message_box import ANSWER, text_of
from deskhand.commands.window_lookup import dialog_over, listed
from deskhand.core.errors import ActionRefused, ApplicationGone, ChangeRefused, InterfaceAbsent
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.application_interface import ApplicationInterface

_BY_HAND: Final = "use the menus and dialogs of the window"


async def free_window(tools: ToolContext, call: Call) -> TargetInfo:
    """The call's window, as it is now. Raises: ApplicationGone, ActionRefused if a dialog is open over it."""
    root = call.need_window()
    window = await listed(tools.desktop, root)
    if window is None:
        raise ApplicationGone(f'the window "{root.name}" is gone', fix="select another window or launch it again")
    dialog = dialog_over(window, await tools.desktop.windows())
    if dialog is not None:
        raise ActionRefused(f"a dialog is in front: {await text_of(tools.desktop, dialog)}", fix=ANSWER)
    return window


@asynccontextmanager
async def own_interface(tools: ToolContext, window: TargetInfo) -> AsyncGenerator[ApplicationInterface | None]:
    """None if the application has none, or by the setting; a note says why an office suite is not reached.

    Raises: ApplicationGone, ApplicationUnresponsive.
    """
    async with AsyncExitStack() as stack:
        interface: ApplicationInterface | None = None
        if tools.application_interface:
            try:
                interface = await stack.enter_async_context(tools.desktop.application_interface(window))
            except InterfaceAbsent as absent:
                if Trait.HAS_OWN_INTERFACE in window.traits:
                    tools.notes.append(f"without the application's own interface: {absent.message}")
        yield interface


@asynccontextmanager
async def required_interface(tools: ToolContext, window: TargetInfo) -> AsyncGenerator[ApplicationInterface]:
    """The interface of a tool that has no other way.

    Raises: InterfaceAbsent with the reason, ApplicationGone, ApplicationUnresponsive.
    """
    if not tools.application_interface:
        raise InterfaceAbsent(
            "the setting application_interface is off, and this tool has no other way",
            fix=_BY_HAND,
        )
    try:
        async with tools.desktop.application_interface(window) as interface:
            yield interface
    except InterfaceAbsent as absent:
        fix = absent.fix or _BY_HAND
        raise InterfaceAbsent(f"{absent.message}, and this tool has no other way", fix=fix) from absent


async def change(
    tools: ToolContext, interface: ApplicationInterface, request: str, *, deadline_s: float, **arguments: JsonValue
) -> JsonObject:
    """Carry out a change; one that is refused before anything happened was not delivered.

    Raises: as `ApplicationInterface.change`.
    """
    earlier, tools.delivered = tools.delivered, True
    try:
        return await interface.change(request, deadline_s=deadline_s, **arguments)
    except ChangeRefused:
        tools.delivered = earlier
        raise
