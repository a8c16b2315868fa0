"""Windows and controls of Win32 for fixture applications that run in Python of Windows, which has no GUI library.

Handles are plain numbers. `send` takes a number or a structure of ctypes as its last argument.
"""

import ctypes
import sys
from ctypes import Structure, byref, c_int, c_longlong, c_uint, c_void_p, wintypes
from pathlib import Path

user32, kernel32, comctl32 = (ctypes.WinDLL(name, use_last_error=True) for name in ("user32", "kernel32", "comctl32"))

CHILD, SHOWN, BORDER, TAB_STOP, DISABLED = 0x40000000, 0x10000000, 0x00800000, 0x00010000, 0x08000000
SCROLLS, OVERLAPPED, DIALOG = 0x00200000, 0x00CF0000, 0x80C80000
CHECK_BOX, GROUP_BOX = 0x3, 0x7
ONE_LINE, PASSWORD, LINES = 0x80, 0xA0, 0x1044
"""ES_AUTOHSCROLL; with ES_PASSWORD; ES_MULTILINE, ES_AUTOVSCROLL and ES_WANTRETURN."""
NOTIFIES, REPORT = 0x1, 0xD
"""LBS_NOTIFY; LVS_REPORT, LVS_SINGLESEL and LVS_SHOWSELALWAYS."""
PANEL = "FixturePanel"

SET_LIMIT, GETCHECK, LB_ADD, LB_RECT, LB_CHOSEN, LB_AT = 0xC5, 0xF0, 0x180, 0x198, 0x188, 0x1A9
LV_COUNT, LV_DELETE, LV_CELL_RECT, LV_HIT = 0x1004, 0x1008, 0x1038, 0x1039
LV_COLUMN, LV_INSERT, LV_SET = 0x1061, 0x104D, 0x104C
SLIDER_GET, SLIDER_SET = 0x400, 0x405
PRESSED_BUTTON, CLICKED_ITEM = 0, -2

_CREATE, _DESTROY, _COMMAND, _NOTIFY, _TIMER, _FONT, _PENDING, _POINTER = (
    0x1,
    0x2,
    0x111,
    0x4E,
    0x113,
    0x30,
    0x8000,
    0x201,
)
_COLOUR_OF_EDIT = 0x133
_RESULT = c_longlong
kept = []
"""Procedures that Windows calls as long as the program runs."""
_PROCEDURE = ctypes.WINFUNCTYPE(_RESULT, wintypes.HWND, c_uint, wintypes.WPARAM, wintypes.LPARAM)


class WindowClass(Structure):
    _fields_ = (
        ("style", c_uint),
        ("procedure", _PROCEDURE),
        ("more", c_int * 2),
        ("instance", c_void_p),
        ("icon", c_void_p),
        ("cursor", c_void_p),
        ("background", c_void_p),
        ("menu", wintypes.LPCWSTR),
        ("name", wintypes.LPCWSTR),
    )


class Column(Structure):
    _fields_ = (("mask", c_uint), ("format", c_int), ("width", c_int), ("text", wintypes.LPCWSTR), ("more", c_int * 8))


class Item(Structure):
    _fields_ = (
        ("mask", c_uint),
        ("index", c_int),
        ("column", c_int),
        ("state", c_uint * 2),
        ("text", wintypes.LPCWSTR),
        ("more", c_int * 16),
    )


class Hit(Structure):
    _fields_ = (("point", wintypes.POINT), ("flags", c_uint), ("index", c_int), ("column", c_int), ("group", c_int))


class Notice(Structure):
    """NMITEMACTIVATE."""

    _fields_ = (
        *(("of", wintypes.HWND), ("id", c_void_p), ("code", c_int), ("padding", c_int)),
        *(("index", c_int), ("column", c_int)),
    )


class CommonControls(Structure):
    _fields_ = (("size", c_uint), ("kinds", c_uint))


user32.DefWindowProcW.restype = user32.SendMessageW.restype = _RESULT
user32.DefWindowProcW.argtypes = (wintypes.HWND, c_uint, wintypes.WPARAM, wintypes.LPARAM)
user32.SendMessageW.argtypes = (wintypes.HWND, c_uint, wintypes.WPARAM, c_void_p)
user32.CreateWindowExW.restype = user32.GetAncestor.restype = user32.GetFocus.restype = wintypes.HWND
user32.CreateWindowExW.argtypes = (
    *(wintypes.DWORD, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD, c_int, c_int, c_int, c_int),
    *(wintypes.HWND, c_void_p, c_void_p, c_void_p),
)
user32.SetWindowPos.argtypes = (wintypes.HWND, wintypes.HWND, c_int, c_int, c_int, c_int, c_uint)
user32.SetTimer.argtypes = (wintypes.HWND, c_void_p, c_uint, c_void_p)
user32.PostMessageW.argtypes = (wintypes.HWND, c_uint, wintypes.WPARAM, wintypes.LPARAM)
user32.IsDialogMessageW.argtypes = (wintypes.HWND, c_void_p)
user32.MapWindowPoints.argtypes = (wintypes.HWND, wintypes.HWND, c_void_p, c_uint)
kernel32.GetModuleHandleW.restype = user32.LoadCursorW.restype = c_void_p
user32.LoadCursorW.argtypes = (c_void_p, c_void_p)
user32.SetParent.argtypes = (wintypes.HWND, wintypes.HWND)
user32.GetAncestor.argtypes = (wintypes.HWND, c_uint)
for of_window in ("DestroyWindow", "IsWindowVisible", "IsWindowEnabled", "GetWindowTextLengthW"):
    getattr(user32, of_window).argtypes = (wintypes.HWND,)
ctypes.windll.gdi32.GetStockObject.restype = c_void_p
ctypes.windll.gdi32.SetTextColor.argtypes = (c_void_p, wintypes.DWORD)


class Program:
    """The window procedure of all windows, and what they call: `on_press` and `on_item` by the handle of a control,
    `on_timer`, and `on_pointer` with the handle and the place in it."""

    def __init__(self):
        self.on_press, self.on_item, self.colours = {}, {}, {}
        self.on_timer = self.on_pointer = lambda *_: None
        self.pending = []
        self._main = None
        comctl32.InitCommonControlsEx(byref(CommonControls(8, 0xFFFF)))
        self._font = ctypes.windll.gdi32.GetStockObject(17)
        for name in ("FixtureWindow", PANEL):
            define(name, self._take)

    def window(self, title, place, owner=None):
        """`place`: left, top, width, height. The first one is the main window, which ends the program."""
        style = DIALOG if owner else OVERLAPPED
        made = user32.CreateWindowExW(0, "FixtureWindow", title, style, *place, owner, None, None, None)
        self._main = self._main or made
        return made

    def control(self, parent, kind, text="", style=0, place=(0, 0, 0, 0)):
        made = user32.CreateWindowExW(0, kind, text, CHILD | SHOWN | style, *place, parent, None, None, None)
        send(made, _FONT, self._font, 1)
        return made

    def later(self, work):
        """Have the program do `work`, from another thread."""
        self.pending.append(work)
        user32.PostMessageW(self._main, _PENDING, 0, 0)

    def run(self, every_ms):
        """Until the main window is closed."""
        user32.SetTimer(self._main, 1, every_ms, None)
        message = wintypes.MSG()
        while user32.GetMessageW(byref(message), None, 0, 0) > 0:
            if message.message == _POINTER:
                place = (ctypes.c_short(message.lParam).value, ctypes.c_short(message.lParam >> 16).value)
                self.on_pointer(message.hWnd, place)
            if not user32.IsDialogMessageW(root_of(message.hWnd), byref(message)):
                user32.TranslateMessage(byref(message))
                user32.DispatchMessageW(byref(message))

    def _take(self, window, message, first, second):
        if message == _COMMAND and second in self.on_press and first >> 16 == PRESSED_BUTTON:
            self.on_press[second]()
        elif message == _NOTIFY:
            notice = Notice.from_address(second)
            if notice.code == CLICKED_ITEM and notice.of in self.on_item:
                self.on_item[notice.of](notice.index, notice.column)
        elif message == _TIMER:
            self.on_timer()
        elif message == _PENDING:
            self.pending.pop(0)()
        elif message == _COLOUR_OF_EDIT and second in self.colours:
            ctypes.windll.gdi32.SetTextColor(first, self.colours[second])
        elif message == _DESTROY and window == self._main:
            user32.PostQuitMessage(0)
        return fall_back(window, message, first, second)


def define(name, answer):
    """Have windows of this class, which may have the name of one of Windows, answer messages."""
    kept.append(_PROCEDURE(answer))
    instance, arrow = kernel32.GetModuleHandleW(None), user32.LoadCursorW(None, 32512)
    made = WindowClass(procedure=kept[-1], instance=instance, cursor=arrow, background=16, name=name)
    user32.RegisterClassW(byref(made))


def fall_back(window, message, first, second):
    """Answer as any window does."""
    return user32.DefWindowProcW(window, message, first, second)


def root_of(window):
    """The top-level window around a control."""
    return user32.GetAncestor(window, 2)


def send(window, message, first=0, second=0):
    return user32.SendMessageW(window, message, first, second if isinstance(second, int) else ctypes.addressof(second))


def show(window):
    user32.ShowWindow(window, 1)


def set_text(window, text):
    user32.SetWindowTextW(window, text)


def text_of(window):
    size = user32.GetWindowTextLengthW(window) + 1
    text = ctypes.create_unicode_buffer(size)
    user32.GetWindowTextW(window, text, size)
    return text.value


def place(window, rect, after=None):
    """Left, top, width and height in the parent; in the z-order behind a sibling, or first."""
    user32.SetWindowPos(window, after, *rect, 0x10)


def rect_of(window):
    """On the screen."""
    rect = wintypes.RECT()
    user32.GetWindowRect(window, byref(rect))
    return [rect.left, rect.top, rect.right, rect.bottom]


def on_screen(window, rect):
    """A rectangle in a window, on the screen."""
    user32.MapWindowPoints(window, None, byref(rect), 2)
    return [rect.left, rect.top, rect.right, rect.bottom]


def item_rect(listing, index):
    """Of an item of a list box."""
    rect = wintypes.RECT()
    send(listing, LB_RECT, index, rect)
    return on_screen(listing, rect)


def cell_rect(table, row, column):
    rect = wintypes.RECT(0 if column else 2, column, 0, 0)
    send(table, LV_CELL_RECT, row, rect)
    return on_screen(table, rect)


def cell_at(table, place):
    """Row and column at a place in a table."""
    hit = Hit(point=wintypes.POINT(*place))
    send(table, LV_HIT, 0, hit)
    return hit.index, hit.column


def add_columns(table, names, width):
    for number, name in enumerate(names):
        send(table, LV_COLUMN, number, Column(6, 0, width, name))


def add_row(table, index, cells):
    for column, text in enumerate(cells):
        send(table, LV_SET if column else LV_INSERT, 0, Item(mask=1, index=index, column=column, text=text))


def version():
    """Of Wine."""
    asked = ctypes.WinDLL("ntdll").wine_get_version
    asked.restype = ctypes.c_char_p
    return asked().decode()


def argument(number):
    """A path on the command line; that of a new file is one of Linux."""
    return Path("Z:", sys.argv[number])
