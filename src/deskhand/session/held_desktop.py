"""A desktop opened with its pointer and keyboard for one holder, who stops when its user says so."""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from deskhand.config.sections import Configuration
from deskhand.core.plugins import Report
from deskhand.desktop.backends import OwnToolkits, Virtual, open_desktop, warn_of
from deskhand.desktop.observation_settings import observe_by
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.session.running_sessions import announced
from deskhand.session.user_guard_rules import stoppable, watch_user


@asynccontextmanager
async def held_desktop(  # noqa: PLR0913 - keyword options
    choice: Virtual | str,
    settings: Configuration,
    who: str,
    *,
    brief: bool = False,
    report: Callable[[str], None] = lambda _: None,
    toolkits: OwnToolkits = (),
    faults: Report = warn_of,
) -> AsyncGenerator[Desktop]:
    """Open a desktop with pointer and keyboard for `who` alone, and watch for input of its user.

    `brief`: for one action only. `report`: takes a sentence on what cannot be noticed, and on each pause for the user.
    `toolkits`: asked for applications before those of plug-ins, and ours. `faults`: takes those of toolkits.
    Raises: as `open_desktop`, StoppedByPerson.
    """
    name = choice.name if isinstance(choice, Virtual) else choice
    with announced(who, str(os.getpid()), name):
        async with open_desktop(choice, holder=who, brief=brief, toolkits=toolkits, report=faults) as desktop:
            observe_by(desktop, settings)
            for problem in await watch_user(desktop, settings.system):
                report(problem)
            desktop.guard.on_pause = lambda what: report(waiting(what))
            with stoppable(desktop.guard):
                yield desktop


def waiting(what: str) -> str:
    """Return the sentence on a pause for the user."""
    return f"waiting: {what}"
