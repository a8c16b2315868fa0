"""The walk that test tools and benchmarks make, as a baseline: python3-pyatspi, recursive, on the system Python.

    pyatspi_walk.py PID TITLE showing|visible

For every line on stdin it walks a window of the process, only below what is showing (GTK 4 says `visible` of it), and
writes one JSON object: seconds, CPU seconds of this process, and the nodes as [path, role, name, states, interfaces,
rect, text, value, names of its actions, path of what it stands in].
"""

import json
import sys
import time
from contextlib import suppress

import pyatspi

MANAGED_LIMIT = 500
WORDS = {pyatspi.ROLE_LABEL, pyatspi.ROLE_STATIC}  # what they can do is nothing that anybody does
SHOWN = {"showing": pyatspi.STATE_SHOWING, "visible": pyatspi.STATE_VISIBLE}


def walk(accessible, nodes, shown, above):
    states, top = accessible.getState(), not above
    is_shown = states.contains(shown) or states.contains(pyatspi.STATE_SHOWING)
    interfaces = accessible.get_interfaces()
    rect, text, value, actions = None, None, None, []
    with suppress(NotImplementedError):
        place = accessible.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        rect = [place.x, place.y, place.x + place.width, place.y + place.height]
    with suppress(NotImplementedError):
        text = accessible.queryText().getText(0, -1)
    with suppress(NotImplementedError):
        value = accessible.queryValue().currentValue
    role = int(accessible.getRole())
    if role not in WORDS and (is_shown or top):
        with suppress(NotImplementedError):
            action = accessible.queryAction()
            actions = [action.getName(number) for number in range(action.nActions)]
    kept = [accessible.path, role, accessible.name, [int(state) for state in states.getStates()]]
    if is_shown or top:
        nodes.append((*kept, list(interfaces), rect, text, value, actions, above))
    if not is_shown and not top:
        return
    if states.contains(pyatspi.STATE_MANAGES_DESCENDANTS) and accessible.childCount > MANAGED_LIMIT:
        return
    for index in range(accessible.childCount):
        child = accessible.getChildAtIndex(index)
        if child is not None:
            walk(child, nodes, shown, accessible.path)


def processes_of(application):
    """That of its connection, and the one that a bridge says it speaks for."""
    told = (attribute.partition(":") for attribute in application.getAttributes())
    return {application.get_process_id(), *(int(value) for name, _, value in told if name == "process")}


def window_of(pid, title):
    for application in pyatspi.Registry.getDesktop(0):
        if application is not None and pid in processes_of(application):
            for window in application:
                if window is not None and window.name == title:
                    return application, window
    raise SystemExit(f"process {pid} has no accessible window {title!r}")


def main(pid, title, shown):
    application, window = window_of(pid, title)
    for _ in sys.stdin:
        application.clear_cache()
        nodes = []
        began, cpu = time.perf_counter(), time.process_time()
        walk(window, nodes, shown, "")
        told = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "nodes": nodes}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


main(int(sys.argv[1]), sys.argv[2], SHOWN[sys.argv[3]])
