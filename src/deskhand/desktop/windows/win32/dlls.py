"""Functions of the system's libraries, with their types declared. Handles are plain integers of 64 bits."""

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_int32, c_long, c_size_t, c_ssize_t, c_uint16, c_uint32, c_void_p, c_wchar_p, wintypes
from typing import Final

HANDLE: Final = c_size_t
"""A handle: of a window, a menu, a module, a process or a hook."""

EnumWindow = ctypes.WINFUNCTYPE(c_int, HANDLE, c_ssize_t)
EnumResource = ctypes.WINFUNCTYPE(c_int, HANDLE, c_size_t, c_size_t, c_ssize_t)
WinEvent = ctypes.WINFUNCTYPE(None, HANDLE, c_uint32, HANDLE, c_long, c_long, c_uint32, c_uint32)

_user = ctypes.WinDLL("user32", use_last_error=True)
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)


class WindowInfo(ctypes.Structure):
    """WINDOWINFO."""

    _fields_ = (
        ("size", c_uint32),
        ("window", wintypes.RECT),
        ("client", wintypes.RECT),
        ("style", c_uint32),
        ("extended", c_uint32),
        ("status", c_uint32),
        ("border_x", c_uint32),
        ("border_y", c_uint32),
        ("atom", c_uint16),
        ("version", c_uint16),
    )
    size: int
    window: wintypes.RECT
    client: wintypes.RECT
    style: int
    extended: int


class ThreadInfo(ctypes.Structure):
    """GUITHREADINFO."""

    _fields_ = (
        ("size", c_uint32),
        ("flags", c_uint32),
        ("active", HANDLE),
        ("focus", HANDLE),
        ("capture", HANDLE),
        ("menu_owner", HANDLE),
        ("move_size", HANDLE),
        ("caret", HANDLE),
        ("caret_rect", wintypes.RECT),
    )
    size: int
    active: int
    focus: int
    menu_owner: int


class ScrollInfo(ctypes.Structure):
    """SCROLLINFO."""

    _fields_ = (
        ("size", c_uint32),
        ("mask", c_uint32),
        ("minimum", c_int),
        ("maximum", c_int),
        ("page", c_uint32),
        ("position", c_int),
        ("track", c_int),
    )
    size: int
    mask: int
    minimum: int
    maximum: int
    page: int
    position: int


def _function(library: ctypes.CDLL, name: str, result: object, *arguments: type) -> Callable[..., int]:
    function = library[name]
    function.restype = result  # pyright: ignore[reportAttributeAccessIssue]  # a type of ctypes, or None
    function.argtypes = arguments
    return function


enum_windows = _function(_user, "EnumWindows", c_int, EnumWindow, c_ssize_t)
enum_children = _function(_user, "EnumChildWindows", c_int, HANDLE, EnumWindow, c_ssize_t)
is_window = _function(_user, "IsWindow", c_int, HANDLE)
is_visible = _function(_user, "IsWindowVisible", c_int, HANDLE)
is_enabled = _function(_user, "IsWindowEnabled", c_int, HANDLE)
is_minimized = _function(_user, "IsIconic", c_int, HANDLE)
class_name = _function(_user, "GetClassNameW", c_int, HANDLE, c_void_p, c_int)
internal_text = _function(_user, "InternalGetWindowText", c_int, HANDLE, c_void_p, c_int)
window_info = _function(_user, "GetWindowInfo", c_int, HANDLE, ctypes.POINTER(WindowInfo))
window_rect = _function(_user, "GetWindowRect", c_int, HANDLE, ctypes.POINTER(wintypes.RECT))
window_long = _function(_user, "GetWindowLongW", c_int32, HANDLE, c_int)
related = _function(_user, "GetWindow", HANDLE, HANDLE, c_uint32)
ancestor = _function(_user, "GetAncestor", HANDLE, HANDLE, c_uint32)
property_of = _function(_user, "GetPropW", HANDLE, HANDLE, c_wchar_p)
thread_process = _function(_user, "GetWindowThreadProcessId", c_uint32, HANDLE, ctypes.POINTER(c_uint32))
thread_info = _function(_user, "GetGUIThreadInfo", c_int, c_uint32, ctypes.POINTER(ThreadInfo))
foreground = _function(_user, "GetForegroundWindow", HANDLE)
set_foreground = _function(_user, "SetForegroundWindow", c_int, HANDLE)
window_at = _function(_user, "WindowFromPoint", HANDLE, wintypes.POINT)
set_focus = _function(_user, "SetFocus", HANDLE, HANDLE)
attach_input = _function(_user, "AttachThreadInput", c_int, c_uint32, c_uint32, c_int)
send_timeout = _function(
    _user,
    "SendMessageTimeoutW",
    c_ssize_t,
    HANDLE,
    c_uint32,
    c_size_t,
    c_void_p,
    c_uint32,
    c_uint32,
    ctypes.POINTER(c_size_t),
)
post = _function(_user, "PostMessageW", c_int, HANDLE, c_uint32, c_size_t, c_ssize_t)
map_key = _function(_user, "MapVirtualKeyW", c_uint32, c_uint32, c_uint32)
key_text = _function(_user, "GetKeyNameTextW", c_int, c_long, c_void_p, c_int)
get_menu = _function(_user, "GetMenu", HANDLE, HANDLE)
load_menu = _function(_user, "LoadMenuW", HANDLE, HANDLE, c_size_t)
destroy_menu = _function(_user, "DestroyMenu", c_int, HANDLE)
sub_menu = _function(_user, "GetSubMenu", HANDLE, HANDLE, c_int)
menu_count = _function(_user, "GetMenuItemCount", c_int, HANDLE)
menu_id = _function(_user, "GetMenuItemID", c_uint32, HANDLE, c_int)
menu_text = _function(_user, "GetMenuStringW", c_int, HANDLE, c_uint32, c_void_p, c_int, c_uint32)
menu_state = _function(_user, "GetMenuState", c_uint32, HANDLE, c_uint32, c_uint32)
set_event_hook = _function(
    _user, "SetWinEventHook", HANDLE, c_uint32, c_uint32, HANDLE, WinEvent, c_uint32, c_uint32, c_uint32
)
get_message = _function(_user, "GetMessageW", c_int, ctypes.POINTER(wintypes.MSG), HANDLE, c_uint32, c_uint32)

current_thread = _function(_kernel, "GetCurrentThreadId", c_uint32)
open_process = _function(_kernel, "OpenProcess", HANDLE, c_uint32, c_int, c_uint32)
close_handle = _function(_kernel, "CloseHandle", c_int, HANDLE)
is_small = _function(_kernel, "IsWow64Process", c_int, HANDLE, ctypes.POINTER(c_int))
this_process = _function(_kernel, "GetCurrentProcess", HANDLE)
exit_code = _function(_kernel, "GetExitCodeProcess", c_int, HANDLE, ctypes.POINTER(c_uint32))
image_name = _function(
    _kernel, "QueryFullProcessImageNameW", c_int, HANDLE, c_uint32, c_void_p, ctypes.POINTER(c_uint32)
)
free = _function(_kernel, "VirtualFreeEx", c_int, HANDLE, c_size_t, c_size_t, c_uint32)
allocate = _function(_kernel, "VirtualAllocEx", c_size_t, HANDLE, c_size_t, c_size_t, c_uint32, c_uint32)
read_memory = _function(_kernel, "ReadProcessMemory", c_int, HANDLE, c_size_t, c_void_p, c_size_t, c_void_p)
write_memory = _function(_kernel, "WriteProcessMemory", c_int, HANDLE, c_size_t, c_void_p, c_size_t, c_void_p)
load_library = _function(_kernel, "LoadLibraryExW", HANDLE, c_wchar_p, HANDLE, c_uint32)
free_library = _function(_kernel, "FreeLibrary", c_int, HANDLE)
enum_resources = _function(_kernel, "EnumResourceNamesW", c_int, HANDLE, c_size_t, EnumResource, c_ssize_t)


def last_error() -> int:
    """The system's error number of the last function that failed in this thread."""
    return ctypes.get_last_error()
