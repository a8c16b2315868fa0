"""The user guard of a session: its rules from settings, pauses as events, and the stop on demand."""

from collections.abc import Generator
from contextlib import contextmanager

import anyio

from deskhand.config.sections import SystemSection
from deskhand.core.context import Context
from deskhand.core.errors import StoppedByPerson
from deskhand.core.events import PauseBegan, PauseEnded
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.user_guard import Guard, GuardRules, PauseEnd, PersonMode

STOP_KEY = "ctrl+alt+shift+escape"


def guard_rules(settings: SystemSection, *, shared: bool, has_viewer: bool = False) -> GuardRules:
    """Return the rules for a desktop: where users can act, it is guarded unless the settings disable it."""
    usual = PersonMode.PAUSE if shared or has_viewer else PersonMode.IGNORE
    stop_key = settings.stop_key
    return GuardRules(
        person=PersonMode(settings.person) if settings.person else usual,
        quiet_s=settings.person_quiet_s,
        patience_s=settings.person_timeout,
        stop_key=(STOP_KEY if shared else "") if stop_key is None else stop_key,
    )


async def watch_user(desktop: Desktop, settings: SystemSection) -> tuple[str, ...]:
    """Watch a desktop for its user's input, also for that which comes by a viewer.

    Return what cannot be detected. Raises: DesktopGone.
    """
    with_viewer = guard_rules(settings, shared=desktop.shared, has_viewer=True)
    return await desktop.watch(guard_rules(settings, shared=desktop.shared), with_viewer)


@contextmanager
def stoppable(guard: Guard) -> Generator[None]:
    """Cancel the code inside as soon as the user stops it. Raises: StoppedByPerson."""
    with anyio.CancelScope() as scope:
        guard.on_stop = scope.cancel
        if guard.stopped:
            scope.cancel()
        yield
    if scope.cancelled_caught:
        raise StoppedByPerson(guard.stopped, fix="start it again when the desktop is free")


@contextmanager
def pauses_told(guard: Guard, context: Context) -> Generator[None]:
    """Write pauses to the journal; the user's time is not counted as the session's (contract 2.3)."""

    def began(what: str) -> None:
        context.events.emit(PauseBegan(reason=what, step=context.session_step))

    def ended(how: PauseEnd, seconds: float) -> None:
        context.waited_for_person_s += seconds
        context.events.emit(PauseEnded(how=how.value, seconds=seconds, step=context.session_step))

    before = guard.on_pause, guard.on_resume
    guard.on_pause, guard.on_resume = began, ended
    context.presence = guard
    try:
        yield
    finally:
        guard.on_pause, guard.on_resume = before
