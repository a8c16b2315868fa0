"""A server on stdin and stdout: one JSON object per line. `python -m win32.serve [HOOK]` in Windows CPython.

It answers requests in order, and writes events between the answers. It ends with stdin.
"""

import json
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from threading import Lock
from typing import BinaryIO, Final

from . import acting, controls, hook, messages
from .events import Listener
from .failures import Failure, Refused
from .menus import Menus
from .nodes import Node
from .windows import windows

Json = object
Request = Mapping[str, object]


class Server:
    """Answers requests from one stream on another."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO, menus: Menus) -> None:
        self._requests = requests
        self._answers = answers
        self._menus = menus
        self._lock = Lock()
        self._tasks: Mapping[str, Callable[[Request], Json]] = {
            **_TASKS,
            "tree": self._tree,
            "act": lambda request: acting.act(_string(request, "key"), _string(request, "action"), menus),
            "at": lambda request: acting.node_at(_number(request, "x"), _number(request, "y"), menus),
        }

    def write(self, message: Mapping[str, object]) -> None:
        """Write one line. Any thread may call it."""
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        with self._lock:
            self._answers.write(line)
            self._answers.flush()

    def run(self) -> None:
        """Answer until the requests end."""
        self.write({"ready": True, "version": platform.python_version(), "hook": self._menus.live})
        Listener(lambda event: self.write(asdict(event))).start()
        for line in self._requests:
            self.write(self.answer(line))

    def answer(self, line: bytes) -> Mapping[str, object]:
        """The answer to one request."""
        number: object = None
        try:
            request = json.loads(line)
            number = request["id"]
            if request["do"] not in _READING:
                self._menus.forget()
            return {"id": number, "ok": self._tasks[request["do"]](request)}
        except Failure as failure:
            return {"id": number, "error": failure.kind, "message": str(failure)}
        except (ArithmeticError, LookupError, TypeError, ValueError) as malformed:
            return {"id": number, "error": "refused", "message": f"malformed request: {malformed!r}"}

    def _tree(self, request: Request) -> Json:
        tree = controls.read_tree(_number(request, "hwnd"), self._menus)
        return {
            "nodes": [_plain(node) for node in tree.nodes],
            "complete": tree.complete,
            "why": tree.why,
            "popups": tree.popups,
        }


_READING: Final = frozenset({"windows", "tree", "text", "texts", "at"})
_DETAILS: Final = ("labelled_by", "hidden", "length", "count", "columns", "row", "column", "control_id")


def _plain(node: Node) -> Json:
    plain: dict[str, object] = {
        "key": node.key,
        "parent": node.parent,
        "role": node.role,
        "name": node.name,
        "text": node.text,
        "caret": node.caret,
        "selection": node.selection,
        "states": node.states,
        "rect": node.rect,
        "actions": node.actions,
        "value": node.value,
        "description": node.description,
        "class": node.window_class,
    }
    for name in _DETAILS:
        value = getattr(node, name)
        if value is not None:
            plain[name] = value
    return plain


def _windows(_: Request) -> Json:
    return [
        {"class" if name == "window_class" else name: value for name, value in asdict(window).items()}
        for window in windows()
    ]


def _number(request: Request, name: str) -> int:
    value = request[name]
    if not isinstance(value, int):
        raise Refused(f"{name} is {value!r}, not a whole number")
    return value


def _string(request: Request, name: str) -> str:
    value = request[name]
    if not isinstance(value, str):
        raise Refused(f"{name} is {value!r}, not a text")
    return value


_TASKS: Final[Mapping[str, Callable[[Request], Json]]] = {
    "windows": _windows,
    "focus": lambda request: acting.focus(_string(request, "key")),
    "show": lambda request: acting.show(_string(request, "key")),
    "show_named": lambda request: acting.show_named(_string(request, "key"), _string(request, "name")),
    "texts": lambda request: acting.texts(
        _string(request, "key"),
        range(_number(request, "row"), _number(request, "rows_end")),
        range(_number(request, "column"), _number(request, "columns_end")),
    ),
    "set_value": lambda request: acting.set_value(_string(request, "key"), _number(request, "value")),
    "set_text": lambda request: acting.set_text(_string(request, "key"), _string(request, "text")),
    "insert_text": lambda request: acting.insert_text(
        _string(request, "key"), _number(request, "at"), _string(request, "text")
    ),
    "delete_text": lambda request: acting.delete_text(
        _string(request, "key"), _number(request, "start"), _number(request, "end")
    ),
    "select_text": lambda request: acting.select_text(
        _string(request, "key"), _number(request, "start"), _number(request, "end")
    ),
    "text": lambda request: acting.whole_text(_string(request, "key")),
}


def main() -> None:
    """Serve stdin and stdout. The first argument is the path of hook.dll."""
    library = hook.load(sys.argv[1]) if len(sys.argv) > 1 else None
    if library is not None:
        messages.send_through(library.send_many)
    menus = Menus(library.read_menu if library else None, in_bars=True)
    Server(sys.stdin.buffer, sys.stdout.buffer, menus).run()


if __name__ == "__main__":
    main()
