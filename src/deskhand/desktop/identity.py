"""How a control is found again once its handle is stale (SPEC 4.4)."""

from collections.abc import Iterable

from deskhand.core.errors import AmbiguousTarget, ElementStale
from deskhand.core.target import Fingerprint, TargetInfo, comparable_name


def _answers_to(wanted: Fingerprint, candidate: TargetInfo) -> bool:
    if candidate.type is not wanted.role or comparable_name(candidate.name) != comparable_name(wanted.name):
        return False
    if wanted.name:
        return True
    path = candidate.fingerprint.path if candidate.fingerprint else ()
    return candidate.value == wanted.value and (bool(wanted.value) or path == wanted.path)


def find_again(target: TargetInfo, candidates: Iterable[TargetInfo]) -> TargetInfo:
    """The one candidate that answers to the target's fingerprint, under the target's label.

    Role and name must be equal (without a name: role and value; without both: role and path). Where several are,
    the path decides. Raises: ElementStale (none), AmbiguousTarget (several).
    """
    wanted = target.fingerprint
    if wanted is None:
        raise ElementStale(f"{target.describe} is gone and has no fingerprint to find it by", fix="observe again")
    found = [candidate for candidate in candidates if _answers_to(wanted, candidate)]
    if len(found) > 1:
        found = [c for c in found if c.fingerprint is not None and c.fingerprint.path == wanted.path] or found
    if not found:
        raise ElementStale(f"{target.describe} no longer exists in {wanted.window!r}", fix="observe again")
    if len(found) > 1:
        raise AmbiguousTarget(
            f"{target.describe} is gone and {len(found)} controls of {wanted.window!r} answer to its description",
            tuple(" > ".join((*(c.fingerprint.path[:-1] if c.fingerprint else ()), c.describe)) for c in found),
            fix="observe again and choose one",
        )
    return found[0]
