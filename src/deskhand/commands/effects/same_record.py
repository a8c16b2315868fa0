"""The record of a target, such as its row, right before the input and after its effect.

Lists draw other records with the same objects at any time, also between the last check and the press.
"""

from deskhand.commands.window_lookup import found
from deskhand.core.errors import UNREADABLE, ElementStale, TargetMoving
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo, TargetKind, Trait, record_of
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop


async def require_same_record(desktop: Desktop, target: TargetInfo | None) -> None:
    """Check the record of a target again. Raises: TargetMoving (it is another one), ElementStale."""
    if target is None or not _has_record(target):
        return
    now = await desktop.record_of(target)
    if now != record_of(target):
        message = f"{target.describe} belonged to {_text(record_of(target))}, and now to {_text(now)}"
        raise TargetMoving(message, fix="observe the window again, and choose anew")


async def with_same_record(desktop: Desktop, target: TargetInfo) -> TargetInfo:
    """The target, found again where its object shows another record now. Raises: as `require_same_record`, `found`."""
    try:
        await require_same_record(desktop, target)
    except (ElementStale, TargetMoving):
        target = await found(desktop, target)
        await require_same_record(desktop, target)
    return target


async def other_record(
    desktop: Desktop, pressed: TargetInfo | None, edited: TargetInfo | None, seen: Observation | None
) -> str:
    """A sentence if the target belongs to another record after the input than before it; empty if not.

    `pressed`: the control as it was right before the input; `edited`: a target without one; `seen`: its window then.
    A record of which more than half of the texts that set it apart are still there is the same one: the press may have
    changed it. One that is gone is no other.
    """
    target = pressed or _in_record(edited)
    if target is None or not _has_record(target):
        return ""
    try:
        now = await desktop.record_of(target)
    except ElementStale:
        return ""
    except UNREADABLE as error:
        return f"the record that {target.describe} belongs to is not known: {error.message}"
    was = record_of(target)
    own = [text for text in was if text not in _of_others(target, seen)]
    if now == was or 2 * sum(text in now for text in own) > len(own):
        return ""
    return f"{target.describe} belonged to {_text(was)} before, and now to {_text(now)}: it may have acted on either"


def _in_record(edited: TargetInfo | None) -> TargetInfo | None:
    """A control that was edited, if texts around it identify it: its own may be what was edited."""
    return edited if edited and edited.fingerprint and edited.fingerprint.record else None


def _has_record(target: TargetInfo) -> bool:
    """Cells of a spreadsheet are named by their place, and made anew all the time."""
    return (
        Trait.OF_SHEET not in target.traits
        and target.kind is TargetKind.CONTROL
        and target.sighting is None
        and bool(record_of(target))
    )


def _of_others(target: TargetInfo, seen: Observation | None) -> set[str]:
    """The texts of the records of other controls with the target's role and name."""
    others = seen.controls if seen is not None else ()
    alike = [c for c in others if c.handle != target.handle and (c.type, c.name) == (target.type, target.name)]
    return {text for control in alike for text in record_of(control)}


def _text(record: tuple[str, ...]) -> str:
    return quoted(" ".join(record))
