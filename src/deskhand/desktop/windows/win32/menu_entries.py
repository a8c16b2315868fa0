"""Items of menus, and the lines in which the hook writes them."""

from dataclasses import dataclass
from typing import Final

from .nodes import NOWHERE, Rect

GREYED: Final = 0x1
CHECKED: Final = 0x2
RADIO: Final = 0x4
DEFAULT: Final = 0x8
SUBMENU: Final = 0x10
SEPARATOR: Final = 0x20
HIGHLIGHTED: Final = 0x40

_MORE: Final = "+"


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a menu. `path` has its position in each menu down to it."""

    path: tuple[int, ...]
    flags: int
    command: int
    """The number that its program gets; 0 of a submenu."""
    label: str
    rect: Rect = NOWHERE

    @property
    def key(self) -> str:
        """Its part of a node's key: the path and the command, so that it is recognized after others moved."""
        return f"m{'.'.join(map(str, self.path))}@{self.command}"


@dataclass(frozen=True, slots=True)
class Menu:
    """The items of a menu bar or an open menu, parents before their children."""

    entries: tuple[Entry, ...]
    complete: bool = True


def parsed(lines: str) -> Menu:
    """The menu in the lines that the hook wrote."""
    entries: list[Entry] = []
    path: list[int] = []
    for line in lines.split("\n"):
        if not line or line == _MORE:
            continue
        level, flags, command, left, top, right, bottom, label = line.split(" ", 7)
        depth = int(level)
        place = path[depth] + 1 if depth < len(path) else 0
        path[depth:] = [place]
        rect = (int(left), int(top), int(right), int(bottom))
        entries.append(Entry(tuple(path), int(flags, 16), int(command), label, rect))
    return Menu(tuple(entries), complete=not lines.endswith(f"{_MORE}\n"))
