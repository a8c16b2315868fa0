"""The texts that a window shows, each with its control."""

from deskhand.commands.techniques.long_texts import with_whole_text
from deskhand.core.observation import Observation
from deskhand.core.target import TEXT_CUT, TargetInfo
from deskhand.desktop.protocols.desktop import Desktop

_MOST_READ = 5
"""Long texts that are read whole."""


async def texts_of_window(desktop: Desktop, seen: Observation) -> list[tuple[TargetInfo, str]]:
    """Return names and values of the controls in view, those read from the picture too; of the first long texts all of
    it.
    """
    found: list[tuple[TargetInfo, str]] = []
    for control in seen.controls:
        found += [(control, text) for text in (control.name, control.value) if text]
    for control in [each for each in seen.controls if TEXT_CUT in each.states][:_MOST_READ]:
        whole = await with_whole_text(desktop, control)
        found += [(control, whole.value)] if TEXT_CUT not in whole.states else []
    return found
