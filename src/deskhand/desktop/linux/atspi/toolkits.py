"""What toolkits do differently, asked of an application once."""

from dataclasses import dataclass

from deskhand.core.errors import DesktopError
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import SHOWING, VISIBLE
from deskhand.desktop.linux.atspi.transport import Transport


@dataclass(frozen=True, slots=True)
class Toolkit:
    """What an application is made with, as it says itself; empty where it does not say."""

    name: str = ""
    version: str = ""

    @property
    def is_gtk4(self) -> bool:
        return self.name == "GTK" and self.version.startswith("4.")

    @property
    def shown(self) -> int:
        """The state bits of which one means that something shows. In GTK 4 only windows say SHOWING."""
        return SHOWING | VISIBLE if self.is_gtk4 else SHOWING

    @property
    def places_in_window(self) -> bool:
        """Whether places are told from the corner of the window, whatever is asked for. GTK 4 knows no others."""
        return self.is_gtk4


class Toolkits:
    """The toolkits of the applications on one bus, kept: a unique bus name is never given to another."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._known: dict[str, Toolkit] = {}

    async def of(self, bus: str, *, deadline_s: float) -> Toolkit:
        """Raises: DesktopGone. An application that does not answer is asked again the next time."""
        if bus in self._known:
            return self._known[bus]
        root = Ref(bus, calls.ROOT_PATH)
        asked = [root.get(calls.APPLICATION, "ToolkitName"), root.get(calls.APPLICATION, "Version")]
        name, version = await self._transport.batch(asked, deadline_s=deadline_s)
        toolkit = Toolkit(calls.text_in(name), calls.text_in(version))
        if not isinstance(name, DesktopError):
            self._known[bus] = toolkit
        return toolkit
