"""Finding a control again by its fingerprint."""

from collections.abc import Sequence

from deskhand.core.errors import AmbiguousTarget
from deskhand.core.target import Fingerprint, TargetInfo, comparable_name


def match_fingerprint(wanted: Fingerprint, controls: Sequence[TargetInfo], described: str) -> TargetInfo | None:
    """The one control that answers to a fingerprint, None where there is none.

    The same path decides first; then role and name, or, where there is no name, role and value.
    Raises: AmbiguousTarget.
    """
    for same in (_same_path, _same_name_or_value):
        found = [control for control in controls if control.fingerprint and same(wanted, control.fingerprint)]
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousTarget(
                f"{len(found)} controls answer to {described}.",
                tuple(f"{control.describe} at {control.rect.to_list()}" for control in found),
                fix="Observe the window again and name the one that is meant.",
            )
    return None


def _same_path(wanted: Fingerprint, seen: Fingerprint) -> bool:
    return bool(wanted.path) and (wanted.role, wanted.path) == (seen.role, seen.path)


def _same_name_or_value(wanted: Fingerprint, seen: Fingerprint) -> bool:
    if wanted.role is not seen.role:
        return False
    if wanted.name:
        return comparable_name(wanted.name) == comparable_name(seen.name)
    return bool(wanted.value) and not seen.name and wanted.value == seen.value
