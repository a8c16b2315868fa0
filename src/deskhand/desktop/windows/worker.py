"""One thread for all calls of the system: they block, and some belong to their thread."""

from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

import anyio
from anyio import to_thread

from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    ElementStale,
    TargetDisabled,
)
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.windows.uia.failures import Disabled
from deskhand.desktop.windows.win32 import dlls
from deskhand.desktop.windows.win32.failures import Failure, Gone, Hung

T = TypeVar("T")
DEADLINE_S: Final = 10.0
"""Deadline of calls that have none of their own; a program that hangs costs 1 s for each message to it."""


class Worker:
    """Makes calls one after the other, and has their errors be ours."""

    def __init__(self) -> None:
        self._one = anyio.CapacityLimiter(1)

    async def run(self, call: Callable[[], T], about: TargetInfo | None = None, *, deadline_s: float = DEADLINE_S) -> T:
        """Return the result of a call. `about`: the target it is for.

        Raises: ApplicationGone, ElementStale, ApplicationUnresponsive, TargetDisabled, ActionRefused; ActionDeadline
        after `deadline_s`: the call goes on in its thread.
        """
        try:
            with anyio.fail_after(deadline_s):
                return await to_thread.run_sync(
                    partial(_translated, call, about), abandon_on_cancel=True, limiter=self._one
                )
        except TimeoutError as error:
            raise ActionDeadline(
                f"{_named(about)} did not answer within {deadline_s:g} s.", fix="Wait, then observe the window again."
            ) from error


def _translated(call: Callable[[], T], about: TargetInfo | None) -> T:
    try:
        return call()
    except Gone as error:
        raise _gone(about) from error
    except Hung as error:
        raise ApplicationUnresponsive(
            f"The program of {_named(about)} does not answer.", fix="Wait until it does, or end it."
        ) from error
    except Disabled as error:
        raise TargetDisabled(f"{_named(about)} is disabled.", fix="Do what enables it first.") from error
    except Failure as error:
        raise ActionRefused(f"{_named(about)}: {error}.", fix="Observe the window again.") from error


def _gone(about: TargetInfo | None) -> ApplicationGone | ElementStale:
    owner = about.fingerprint.owner if about and about.fingerprint else ""
    if about and about.kind is TargetKind.CONTROL and owner.isdecimal() and dlls.is_window(int(owner)):
        return ElementStale(f"{about.describe} is gone.", fix="Observe the window again and choose anew.")
    return ApplicationGone(f"{_named(about)} is gone.", fix="List the windows again.")


def _named(about: TargetInfo | None) -> str:
    return about.describe if about else "The desktop"
