"""One connection to LibreOffice: to the document of one window."""

import json
import time
from typing import Any

from .answers import Refused, answer, error
from .documents import described
from .lines import InputEnded, Lines
from .pipe import keep_to_oneself, office_socket, open_pipe, remove_left, url_of
from .requests import REQUESTS
from .runtime import NoConnectException, UnoException, uno

_CONNECT_S = 5.0
_POLL_S = 0.005
_X_WINDOW = 6
"""com.sun.star.lang.SystemDependent.SYSTEM_XWINDOW"""


class _Absent(Exception):
    """There is no interface to this window."""


class _Unresponsive(Exception):
    """LibreOffice does not answer."""


def serve(pid: int, window: int, lines: Lines) -> None:
    """Connect, report the document, and answer requests until there are no more."""
    try:
        desktop = _connect(pid)
        frames, view = _found(desktop, window)
        answer({"result": described(view.Model, frames)})
    except _Absent as reason:
        return answer(error("absent", str(reason)))
    except _Unresponsive as reason:
        return answer(error("unresponsive", str(reason)))
    for line in lines:
        answer(_result(json.loads(line), view))
    return None


def _result(request: dict[str, Any], view: Any) -> dict[str, object]:
    carry_out = REQUESTS[request.pop("request")]
    try:
        return {"result": carry_out(view, **request)}
    except Refused as refusal:
        return error("refused", refusal.message, refusal.fix)
    except InputEnded:
        return error("failed", "nobody waited for the request any more")
    except UnoException as failure:
        if _is_gone(view):
            return error("gone", "the document was closed, or LibreOffice has ended")
        kind = type(failure).__name__.rpartition(".")[2]
        return error("failed", f"{kind}: {failure.Message}".strip(": "))


def _is_gone(view: Any) -> bool:
    """True if the document is closed; the error of a request may have another name then."""
    try:
        return view.Model is None
    except UnoException:
        return True


def _connect(pid: int) -> Any:
    remove_left()
    if not (office := office_socket(pid)):
        raise _Absent("its process listens for no second LibreOffice")
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    end = time.monotonic() + _CONNECT_S
    try:
        pipe = open_pipe(pid, office, timeout_s=_CONNECT_S)
    except TimeoutError as reason:
        raise _Unresponsive("LibreOffice does not answer") from reason
    except OSError as reason:
        raise _Absent(f"LibreOffice takes no connection: {reason}") from reason
    while True:
        try:
            context = resolver.resolve(f"uno:{url_of(pipe)};StarOffice.ComponentContext")
        except NoConnectException as reason:
            if time.monotonic() > end:
                raise _Unresponsive("LibreOffice opens no connection") from reason
            time.sleep(_POLL_S)  # nothing reports that the pipe is there
        else:
            keep_to_oneself(pipe)
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)


def _found(desktop: Any, window: int) -> tuple[list[Any], Any]:
    """All frames, and the view of the one in an X window."""
    frames = [desktop.Frames.getByIndex(number) for number in range(desktop.Frames.Count)]
    shown = [frame.Controller for frame in frames if _x_window(frame) == window]
    views = [view for view in shown if view is not None and view.Model is not None]
    if len(views) != 1:
        raise _Absent("its window shows no document")
    return frames, views[0]


def _x_window(frame: Any) -> int:
    handle = frame.ContainerWindow.getWindowHandle(uno.ByteSequence(b""), _X_WINDOW)
    return getattr(handle, "WindowHandle", handle) or 0
