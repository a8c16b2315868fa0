"""Actions that may run a dialog inside of their call."""

from typing import Final

from deskhand.core.errors import NotOffered
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import MENU_ITEM, PUSH_BUTTON, TOOL_BAR

_DOTS: Final = ("...", "…")


async def require_to_return(deed: Deed, ref: Ref, role: int, described: str) -> None:
    """Raises: NotOffered for controls that are likely to open a dialog, else as `Deed`.

    These are menu items, buttons of tool bars, and controls whose name ends in dots. A program may run the dialog
    inside of the call (`gtk_dialog_run`). It reads nothing from that connection until the dialog closes, and hangs for
    good if a key is pressed once the connection was closed.
    """
    # upstream: not reported
    # seen in: 3.24.38
    name, above = await deed.ask_all([calls.get_name(ref), ref.get(calls.ACCESSIBLE, "Parent")])
    around = await _roles_around(deed, calls.ref_in(above)) if role == PUSH_BUTTON else ()
    if role == MENU_ITEM or TOOL_BAR in around or calls.text_in(name).rstrip().endswith(_DOTS):
        raise NotOffered(f"{described} may open a dialog in which its program hears nothing.", fix="Click it.")


async def _roles_around(deed: Deed, above: Ref | None) -> tuple[int, ...]:
    """Return the roles of a parent and of its parent: a tool is in a box of its own."""
    if above is None:
        return ()
    role, further = await deed.ask_all([calls.get_role(above), above.get(calls.ACCESSIBLE, "Parent")])
    beyond = calls.ref_in(further)
    roles = await deed.ask_all([calls.get_role(beyond)]) if beyond is not None else []
    return tuple(calls.int_in(reply) for reply in (role, *roles))
