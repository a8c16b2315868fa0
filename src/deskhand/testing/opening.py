"""Private desktops for tests."""

from contextlib import AbstractContextManager
from typing import Final

from deskhand.config.sections import Configuration, GroundingSection, SystemSection
from deskhand.sync import Desktop, open_desktop

_SETTINGS: Final = Configuration(system=SystemSection(effect_hold_s=0.0), grounding=GroundingSection(read_texts=False))
"""An effect need not last: the expectation after the action waits for its own. Tests address controls that a program
exposes: reading texts from its picture would cost each observation 50 ms and more.
"""


def open_for_tests(
    *, size: tuple[int, int] = (1920, 1080), timeout_s: float = 10.0, update_references: bool = False
) -> AbstractContextManager[Desktop]:
    """Open a private desktop on which an action that was sent raises nothing where its effect is in doubt.

    `size`, `timeout_s`, `update_references`: as of `deskhand.open_desktop`. Raises: MissingRequirement,
    DesktopStartFailed.
    """
    return open_desktop(
        size=size,
        timeout_s=timeout_s,
        accept_unconfirmed=True,
        update_references=update_references,
        configuration=_SETTINGS,
    )
