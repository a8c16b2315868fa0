"""Long texts, of which an observation has the beginning, read whole."""

from dataclasses import replace

from deskhand.core.errors import UNREADABLE
from deskhand.core.target import TEXT_CUT, TargetInfo
from deskhand.desktop.protocols.desktop import Desktop


async def with_whole_text(desktop: Desktop, control: TargetInfo) -> TargetInfo:
    """Return the control with all of its text; as it was observed, and `TEXT_CUT`, if that cannot be read."""
    if TEXT_CUT not in control.states:
        return control
    try:
        text = await desktop.read_text(control)
    except UNREADABLE:
        return control
    return replace(control, value=text, states=control.states - {TEXT_CUT})
