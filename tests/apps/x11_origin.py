"""Where windows are on the screen, in its own pixels: toolkits do not say, or round."""

import ctypes


class Screen:
    """Where windows are, asked of the X server itself."""

    def __init__(self):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
        self.x11.XDefaultRootWindow.restype = ctypes.c_ulong
        number, window = ctypes.POINTER(ctypes.c_int), ctypes.c_ulong
        arguments = [ctypes.c_void_p, window, window, ctypes.c_int, ctypes.c_int, number, number]
        self.x11.XTranslateCoordinates.argtypes = [*arguments, ctypes.POINTER(window)]
        self.display = self.x11.XOpenDisplay(None)

    def origin(self, window):
        x, y, child = ctypes.c_int(), ctypes.c_int(), ctypes.c_ulong()
        root = self.x11.XDefaultRootWindow(self.display)
        self.x11.XTranslateCoordinates(self.display, window, root, 0, 0, x, y, child)
        return x.value, y.value
