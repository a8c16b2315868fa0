"""Windows, controls and menus of Win32 programs, read and driven from outside.

The package imports nothing but the standard library, and its own modules relatively: it runs in Windows CPython as the
top-level package `win32` too, as a server (`python -m win32.serve`) that reads requests on stdin.
"""
