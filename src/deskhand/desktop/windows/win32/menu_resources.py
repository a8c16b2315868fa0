"""Menus as a program's file has them: labels and commands, without states and places."""

import ctypes
from typing import Final

from . import dlls
from .menu_entries import SEPARATOR, SUBMENU, Entry, Menu

_AS_DATA: Final = 0x22
_RT_MENU: Final = 4
_BY_POSITION: Final = 0x400
_MF_SEPARATOR: Final = 0x800
_MOST_LEVELS: Final = 8
_UNITS: Final = 260


def menu_of_file(path: str) -> Menu:
    """The largest menu bar among a program's resources, empty where it has none."""
    module = dlls.load_library(path, 0, _AS_DATA)
    if not module:
        return Menu(())
    try:
        return max((_loaded(module, name) for name in _names(module)), key=_size, default=Menu(()))
    finally:
        dlls.free_library(module)


class _Names:
    def __init__(self) -> None:
        self.found: list[int | str] = []
        self.callback = dlls.EnumResource(self._add)

    def _add(self, _module: int, _kind: int, name: int, _data: int) -> int:
        # A number, or the address of a name.
        self.found.append(name if name < 0x10000 else ctypes.wstring_at(name))
        return 1


def _names(module: int) -> list[int | str]:
    names = _Names()
    dlls.enum_resources(module, _RT_MENU, names.callback, 0)
    return names.found


def _loaded(module: int, name: int | str) -> Menu:
    buffer = ctypes.create_unicode_buffer(name) if isinstance(name, str) else None
    menu = dlls.load_menu(module, ctypes.addressof(buffer) if buffer is not None else name)
    if not menu:
        return Menu(())
    try:
        return Menu(tuple(_entries(menu, ())), complete=False)
    finally:
        dlls.destroy_menu(menu)


def _entries(menu: int, path: tuple[int, ...]) -> list[Entry]:
    found: list[Entry] = []
    for index in range(max(0, ctypes.c_int32(dlls.menu_count(menu)).value)):
        place = (*path, index)
        inner = dlls.sub_menu(menu, index)
        separator = not inner and dlls.menu_state(menu, index, _BY_POSITION) & _MF_SEPARATOR
        flags = SUBMENU if inner else SEPARATOR if separator else 0
        found.append(Entry(place, flags, 0 if inner else dlls.menu_id(menu, index), _label(menu, index)))
        if inner and len(place) < _MOST_LEVELS:
            found.extend(_entries(inner, place))
    return found


def _label(menu: int, index: int) -> str:
    buffer = ctypes.create_unicode_buffer(_UNITS)
    dlls.menu_text(menu, index, buffer, _UNITS, _BY_POSITION)
    return buffer.value


def _size(menu: Menu) -> tuple[int, int]:
    """The likeness of a menu to a menu bar: number of its entries that open menus, then of all entries."""
    tops = [entry for entry in menu.entries if len(entry.path) == 1]
    return (sum(1 for entry in tops if entry.flags & SUBMENU), len(menu.entries))
