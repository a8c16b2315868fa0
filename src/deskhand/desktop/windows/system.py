"""Functions of the system for input, pictures and the clipboard, with their types declared."""

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_int16, c_long, c_size_t, c_ssize_t, c_uint16, c_uint32, c_void_p, c_wchar_p, wintypes
from typing import Final

_user = ctypes.WinDLL("user32", use_last_error=True)
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_gdi = ctypes.WinDLL("gdi32", use_last_error=True)

HANDLE: Final = c_size_t
OWN: Final = 0x6465736B
"""Marks input that this process sends, beside each event."""


class MouseInput(ctypes.Structure):
    """MOUSEINPUT."""

    _fields_ = (
        ("x", c_long),
        ("y", c_long),
        ("data", c_uint32),
        ("flags", c_uint32),
        ("time", c_uint32),
        ("extra", c_size_t),
    )


class KeyInput(ctypes.Structure):
    """KEYBDINPUT."""

    _fields_ = (("key", c_uint16), ("scan", c_uint16), ("flags", c_uint32), ("time", c_uint32), ("extra", c_size_t))


class _Either(ctypes.Union):
    _fields_ = (("mouse", MouseInput), ("key", KeyInput))
    mouse: MouseInput
    key: KeyInput


class InputEvent(ctypes.Structure):
    """INPUT."""

    _fields_ = (("kind", c_uint32), ("either", _Either))
    kind: int
    either: _Either


class BitmapInfo(ctypes.Structure):
    """BITMAPINFOHEADER."""

    _fields_ = (
        ("size", c_uint32),
        ("width", c_long),
        ("height", c_long),
        ("planes", c_uint16),
        ("bits", c_uint16),
        ("compression", c_uint32),
        ("image_size", c_uint32),
        ("x_per_metre", c_long),
        ("y_per_metre", c_long),
        ("used", c_uint32),
        ("important", c_uint32),
    )


def _function(library: ctypes.CDLL, name: str, result: object, *arguments: type) -> Callable[..., int]:
    function = library[name]
    function.restype = result  # pyright: ignore[reportAttributeAccessIssue]  # a type of ctypes, or None
    function.argtypes = arguments
    return function


send_input = _function(_user, "SendInput", c_uint32, c_uint32, c_void_p, c_int)
pointer_place = _function(_user, "GetCursorPos", c_int, ctypes.POINTER(wintypes.POINT))
key_of_character = _function(_user, "VkKeyScanW", c_int16, wintypes.WCHAR)
scan_code = _function(_user, "MapVirtualKeyW", c_uint32, c_uint32, c_uint32)
is_key_down = _function(_user, "GetAsyncKeyState", c_int16, c_int)
set_hook = _function(_user, "SetWindowsHookExW", HANDLE, c_int, c_void_p, HANDLE, c_uint32)
next_hook = _function(_user, "CallNextHookEx", c_ssize_t, HANDLE, c_int, c_size_t, c_size_t)
remove_hook = _function(_user, "UnhookWindowsHookEx", c_int, HANDLE)
next_message = _function(_user, "GetMessageW", c_int, c_void_p, HANDLE, c_uint32, c_uint32)
post_to_thread = _function(_user, "PostThreadMessageW", c_int, c_uint32, c_uint32, c_size_t, c_ssize_t)
this_thread = _function(_kernel, "GetCurrentThreadId", c_uint32)
module = _function(_kernel, "GetModuleHandleW", HANDLE, c_wchar_p)
key_state = _function(_user, "GetKeyState", c_int16, c_int)
double_click_ms = _function(_user, "GetDoubleClickTime", c_uint32)
metric = _function(_user, "GetSystemMetrics", c_int, c_int)
show_window = _function(_user, "ShowWindow", c_int, HANDLE, c_int)

screen_context = _function(_user, "GetDC", HANDLE, HANDLE)
release_context = _function(_user, "ReleaseDC", c_int, HANDLE, HANDLE)
memory_context = _function(_gdi, "CreateCompatibleDC", HANDLE, HANDLE)
delete_context = _function(_gdi, "DeleteDC", c_int, HANDLE)
make_bitmap = _function(_gdi, "CreateDIBSection", HANDLE, HANDLE, c_void_p, c_uint32, c_void_p, HANDLE, c_uint32)
select_object = _function(_gdi, "SelectObject", HANDLE, HANDLE, HANDLE)
delete_object = _function(_gdi, "DeleteObject", c_int, HANDLE)
copy_bits = _function(_gdi, "BitBlt", c_int, HANDLE, c_int, c_int, c_int, c_int, HANDLE, c_int, c_int, c_uint32)
flush_drawing = _function(_gdi, "GdiFlush", c_int)

open_clipboard = _function(_user, "OpenClipboard", c_int, HANDLE)
close_clipboard = _function(_user, "CloseClipboard", c_int)
empty_clipboard = _function(_user, "EmptyClipboard", c_int)
clipboard_number = _function(_user, "GetClipboardSequenceNumber", c_uint32)
clipboard_data = _function(_user, "GetClipboardData", HANDLE, c_uint32)
set_clipboard_data = _function(_user, "SetClipboardData", HANDLE, c_uint32, HANDLE)
next_format = _function(_user, "EnumClipboardFormats", c_uint32, c_uint32)
register_format = _function(_user, "RegisterClipboardFormatW", c_uint32, c_wchar_p)
format_name = _function(_user, "GetClipboardFormatNameW", c_int, c_uint32, c_void_p, c_int)
allocate_global = _function(_kernel, "GlobalAlloc", HANDLE, c_uint32, c_size_t)
lock_global = _function(_kernel, "GlobalLock", c_size_t, HANDLE)
unlock_global = _function(_kernel, "GlobalUnlock", c_int, HANDLE)
size_global = _function(_kernel, "GlobalSize", c_size_t, HANDLE)
