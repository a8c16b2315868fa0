"""An action as test tools do it, as a baseline: `pyatspi_act.py PID NAME TIMES`, on the system Python.

Presses a button by python3-pyatspi, waits a second as dogtail does after each action, and looks at the window's labels.
Prints the seconds that each time took; the button was looked for before.
"""

import sys
import time

import pyatspi

WAIT_S = 1.0


def find(accessible, name):
    for child in accessible:
        if child is None:
            continue
        if child.name == name and child.getRoleName() in {"push button", "button", "check box"}:
            return child
        if (found := find(child, name)) is not None:
            return found
    return None


def main(pid, name, times):
    desktop = pyatspi.Registry.getDesktop(0)
    application = next(each for each in desktop if each is not None and each.get_process_id() == pid)
    button = find(application, name)
    for _ in range(times):
        start = time.monotonic()
        button.queryAction().doAction(0)
        time.sleep(WAIT_S)
        pyatspi.findAllDescendants(application, lambda each: each.getRole() == pyatspi.ROLE_LABEL)
        sys.stdout.write(f"{time.monotonic() - start}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
