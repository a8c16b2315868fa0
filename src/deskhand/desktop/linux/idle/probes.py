"""Probes before a desktop is called quiet: the display server, the application, and a menu that is about to open."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import anyio

from deskhand.core.errors import ApplicationUnresponsive, DesktopGone
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply, Transport
from deskhand.desktop.linux.atspi.roles import MENU, MENU_BAR, SELECTED, SHOWING
from deskhand.desktop.linux.display_server import DisplayServer
from deskhand.desktop.linux.idle.wait import Activity, Subject

_SUBMENU_S: Final = 0.3
"""GTK opens the submenu of a chosen item by a timer of 225 ms, and nothing happens until then."""


_NO_REGISTRY: Final = "the registry of applications does not answer"

Applications: TypeAlias = Callable[[], Awaitable[Sequence[Ref] | None]]
"""Finds the application objects of a process; None: the registry did not answer."""


@dataclass(frozen=True, slots=True)
class Probes:
    """Asks those who know of one desktop."""

    server: DisplayServer
    transport: Transport
    activity: Activity

    def subject(self, pid: int | None, applications: Applications) -> Subject:
        """Return the subject of a wait for a process and its application objects; None: for all."""

        async def answers(deadline_s: float) -> str:
            return await self._missing(pid, applications, deadline_s)

        async def owner(window: int) -> int | None:
            return await self.server.connection.run(lambda screen: screen.windows.pid_of(window))

        return Subject(pid, answers, owner, self.server.changes.unseen)

    async def _missing(self, pid: int | None, applications: Applications, deadline_s: float) -> str:
        """Return the first that did not answer; empty: all did, and their earlier changes are known. Raises:
        DesktopGone.
        """
        said, lost = [_NO_REGISTRY], list[DesktopGone]()

        async def ask() -> None:
            try:
                if (found := await applications()) is not None:
                    said[0] = f"process {pid} does not answer"
                    said[0] = await self._application_missing(pid, found, deadline_s)
            except DesktopGone as error:
                lost.append(error)

        passed = None
        with anyio.move_on_after(deadline_s):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                passed = await self.server.changes.fence()
        if lost:
            raise lost[0]
        if passed is None:
            return f"{self.server.label} does not answer"
        if not passed:
            raise self.server.gone()
        return said[0]

    async def _application_missing(self, pid: int | None, found: Sequence[Ref], deadline_s: float) -> str:
        asked = [calls.get_role(ref) for ref in found]
        replies = await self.transport.batch(asked, deadline_s=deadline_s)
        if any(isinstance(reply, ApplicationUnresponsive) for reply in replies):
            return f"process {pid} does not answer"
        for bus in {ref.bus for ref in found}:
            path = self.activity.chosen(bus, _SUBMENU_S)
            if path and await self._opens(Ref(bus, path), deadline_s):
                return "a menu about to open"
        return ""

    async def _opens(self, chosen: Ref, deadline_s: float) -> bool:
        """True if this is an item whose submenu is closed, or an open menu in which the first item is one."""
        parent, first = await self._batch(
            deadline_s, chosen.get(calls.ACCESSIBLE, "Parent"), calls.get_child(chosen, 0)
        )
        menu, entry = calls.ref_in(parent), calls.ref_in(first)
        if menu is None or entry is None:
            return False
        asked = (calls.get_role(chosen), calls.get_role(menu), calls.get_role(entry), calls.get_state(entry))
        role, role_of_menu, role_of_entry, state = await self._batch(deadline_s, *asked)
        if calls.int_in(role) != MENU:
            return False
        if not calls.bits_in(state) & SHOWING:
            return calls.int_in(role_of_menu) != MENU_BAR
        if calls.int_in(role_of_entry) != MENU or not calls.bits_in(state) & SELECTED:
            return False
        (of_submenu,) = await self._batch(deadline_s, calls.get_child(entry, 0))
        item = calls.ref_in(of_submenu)
        if item is None:
            return False
        (state,) = await self._batch(deadline_s, calls.get_state(item))
        return not calls.bits_in(state) & SHOWING

    async def _batch(self, deadline_s: float, *asked: Call) -> list[Reply]:
        return await self.transport.batch(asked, deadline_s=deadline_s)
