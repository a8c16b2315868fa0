"""The walk that test tools and benchmarks make, as a baseline: python3-pyatspi, recursive, on the system Python.

For every line on stdin it walks the application of the process given as argument, only below what is showing, and
prints one JSON object: seconds, CPU seconds of this process, and the nodes as [role, name, states, rect, text].
"""

import json
import sys
import time

import pyatspi


def walk(accessible, nodes, top):
    states = accessible.getState()
    showing = states.contains(pyatspi.STATE_SHOWING)
    bits = sum(1 << int(state) for state in states.getStates())
    node = [int(accessible.getRole()), accessible.name, bits, None, ""]
    try:
        rect = accessible.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        node[3] = [rect.x, rect.y, rect.x + rect.width, rect.y + rect.height]
    except NotImplementedError:
        pass
    try:
        node[4] = accessible.queryText().getText(0, -1)
    except NotImplementedError:
        pass
    try:
        accessible.queryValue().currentValue  # noqa: B018 - what it costs is measured
    except NotImplementedError:
        pass
    if showing or top:
        nodes.append(node)
    if states.contains(pyatspi.STATE_MANAGES_DESCENDANTS) and accessible.childCount > 500:
        return
    if not showing and not top:
        return
    for index in range(accessible.childCount):
        child = accessible.getChildAtIndex(index)
        if child is not None:
            walk(child, nodes, False)


def window_of(pid, title):
    desktop = pyatspi.Registry.getDesktop(0)
    for application in desktop:
        if application is not None and application.get_process_id() == pid:
            for window in application:
                if window is not None and window.name == title:
                    return application, window
    raise SystemExit(f"process {pid} has no accessible window {title!r}")


def main(pid, title):
    application, window = window_of(pid, title)
    for _ in sys.stdin:
        application.clear_cache()
        nodes = []
        began, cpu = time.perf_counter(), time.process_time()
        walk(window, nodes, True)
        told = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "nodes": nodes}
        print(json.dumps(told), flush=True)


main(int(sys.argv[1]), sys.argv[2])
