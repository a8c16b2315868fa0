"""What the X server itself says of windows and pointer, for fixtures whose toolkit does not tell."""

import ctypes

WINDOW, NUMBER, DISPLAY = ctypes.c_ulong, ctypes.c_int, ctypes.c_void_p
WINDOWS = ctypes.POINTER(WINDOW)


class Screen:
    def __init__(self):
        self.x11 = ctypes.CDLL("libX11.so.6")
        numbers = [ctypes.POINTER(NUMBER)] * 2
        self.x11.XOpenDisplay.restype = DISPLAY
        self.x11.XDefaultRootWindow.argtypes = [DISPLAY]
        self.x11.XDefaultRootWindow.restype = WINDOW
        self.x11.XTranslateCoordinates.argtypes = [DISPLAY, WINDOW, WINDOW, NUMBER, NUMBER, *numbers, WINDOWS]
        count = ctypes.POINTER(ctypes.c_uint)
        self.x11.XQueryTree.argtypes = [DISPLAY, WINDOW, WINDOWS, WINDOWS, ctypes.POINTER(WINDOWS), count]
        self.x11.XFetchName.argtypes = [DISPLAY, WINDOW, ctypes.POINTER(ctypes.c_char_p)]
        self.x11.XFree.argtypes = [ctypes.c_void_p]
        self.x11.XWarpPointer.argtypes = [DISPLAY, WINDOW, WINDOW, *[NUMBER] * 6]
        self.x11.XFlush.argtypes = [DISPLAY]
        self.display = self.x11.XOpenDisplay(None)
        self.root = self.x11.XDefaultRootWindow(self.display)

    def origin(self, window):
        """Where the corner of a window is."""
        x, y, child = NUMBER(), NUMBER(), WINDOW()
        self.x11.XTranslateCoordinates(self.display, window, self.root, 0, 0, x, y, child)
        return x.value, y.value

    def titled(self, title, above=None):
        """The first window of that title; None where there is none."""
        for window in self.children(self.root if above is None else above):
            found = window if self.title(window) == title else self.titled(title, window)
            if found:
                return found
        return None

    def title(self, window):
        name = ctypes.c_char_p()
        self.x11.XFetchName(self.display, window, name)
        return (name.value or b"").decode(errors="replace")

    def children(self, window):
        root, parent, found, count = WINDOW(), WINDOW(), WINDOWS(), ctypes.c_uint()
        if not self.x11.XQueryTree(self.display, window, root, parent, found, count):
            return []
        children = found[: count.value]
        self.x11.XFree(found)
        return children

    def put_pointer(self, x, y):
        """Beside the place first, so that it moves wherever it was."""
        for beside in (1, 0):
            self.x11.XWarpPointer(self.display, 0, self.root, 0, 0, 0, 0, x + beside, y)
        self.x11.XFlush(self.display)
