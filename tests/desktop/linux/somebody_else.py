"""Becomes another user and says what comes of connecting to a display (the argument). Needs to be root."""

import os
import sys

from Xlib.display import Display
from Xlib.error import DisplayError

_NOBODY = 65534


def connect(name: str) -> str:
    try:
        Display(name).close()
    except DisplayError as error:
        return str(error)
    return "connected"


def main() -> None:
    name = sys.argv[1]
    connect(name)  # loads what the other user may not be allowed to read
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    sys.stdout.write(f"{connect(name)}\n")


main()
