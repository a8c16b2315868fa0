"""Windows read by UI Automation, and actions on the elements that the last reading of a window found."""

from collections.abc import Callable, Collection

from deskhand.desktop.windows.uia import acting, texts
from deskhand.desktop.windows.uia.com import Connection, Element
from deskhand.desktop.windows.uia.reading import Reader, Reading
from deskhand.desktop.windows.win32.failures import Gone


class UiaControls:
    """Controls by their keys, `HANDLE/u…`. All methods block and raise Gone, Hung, Disabled and Refused."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        """`connect`: makes the connection at the first reading, and may raise MissingRequirement."""
        self._connect = connect
        self._made: tuple[Connection, Reader] | None = None
        self._readings: dict[int, Reading] = {}

    def read(self, handle: int, apart: Collection[int] = ()) -> Reading:
        """Return a window. `apart`: the other windows on the desktop, which are left out of it."""
        _, reader = self._connected()
        self._readings[handle] = reader.read(handle, apart)
        return self._readings[handle]

    def keep(self, handles: Collection[int]) -> None:
        """Forget the readings of other windows."""
        self._readings = {handle: reading for handle, reading in self._readings.items() if handle in handles}

    def has(self, key: str) -> bool:
        """True if the last reading of its window found a node of this key."""
        return key in self._readings.get(int(key.partition("/")[0] or 0), Reading()).elements

    def act(self, key: str, action: str) -> None:
        """Carry out an action of a node."""
        connection, element, root = self._known(key)
        acting.act(connection, element, action, root)

    def focus(self, key: str) -> None:
        """Give a node the keyboard, where its window is in front."""
        connection, element, _ = self._known(key)
        acting.focus(connection, element)

    def set_text(self, key: str, text: str) -> None:
        """Replace the text of a field."""
        connection, element, _ = self._known(key)
        acting.set_text(connection, element, text)

    def set_value(self, key: str, number: float) -> None:
        """Set a number."""
        connection, element, _ = self._known(key)
        acting.set_value(connection, element, number)

    def whole_text(self, key: str) -> str | None:
        """Return the whole text of a node, None where it has none but its name."""
        connection, element, _ = self._known(key)
        return texts.whole_text(connection, element)

    def caret(self, key: str) -> tuple[int, int, int]:
        """Return the length of a text, and the characters at which its selection begins and ends."""
        connection, element, _ = self._known(key)
        return texts.caret(connection, element)

    def select_text(self, key: str, start: int, end: int) -> None:
        """Select characters of a text, or move its caret."""
        connection, element, _ = self._known(key)
        texts.select(connection, element, start, end)

    def _connected(self) -> tuple[Connection, Reader]:
        if self._made is None:
            connection = self._connect()
            self._made = connection, Reader(connection)
        return self._made

    def _known(self, key: str) -> tuple[Connection, Element, int]:
        root = int(key.partition("/")[0])
        element = self._readings.get(root, Reading()).elements.get(key)
        if element is None:
            raise Gone(f"the control {key} is gone")
        return self._connected()[0], element, root
