"""Writes src/deskhand/sync.py: the classes of deskhand.scripting without `await`.

    python -m tools.sync_twin [--check]

With `--check` nothing is written, and a file that differs is a failure.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = ROOT / "src" / "deskhand" / "scripting"
TARGET: Final = ROOT / "src" / "deskhand" / "sync.py"
TWINS: Final = (
    ("expectations", "ControlExpectation"),
    ("expectations", "WindowExpectation"),
    ("locator", "Locators"),
    ("locator", "Locator"),
    ("window", "Window"),
    ("desktop", "Desktop"),
)
"""Module and class, in the order in which they are written."""

_HEAD: Final = '''"""The same without `await`, for scripts and notebooks: `with deskhand.sync.open_desktop() as d: …`.

Written by tools/sync_twin.py from deskhand.scripting. An event loop runs in a thread of its own meanwhile.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from anyio.from_thread import BlockingPortal

from deskhand import scripting
from deskhand.commands import Tool
from deskhand.config.sections import Configuration
from deskhand.core.command import Result
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation, Picture
from deskhand.core.ports import Interactor, OwnPolicy
from deskhand.core.target import TargetInfo
from deskhand.desktop.backends import VIRTUAL, OwnToolkits
from deskhand.scripting.blocking import Opened, call, in_thread
from deskhand.scripting.desktop import TIMEOUT_S
from deskhand.scripting.expectations import expect
from deskhand.scripting.locator import Locators as AsyncLocators
from deskhand.scripting.members import Members
from deskhand.scripting.query import Words

__all__ = ["ControlExpectation", "Desktop", "Locator", "Window", "WindowExpectation", "expect", "open_desktop"]

T = TypeVar("T")
Inner = TypeVar("Inner", bound=AsyncLocators)
'''


_OWN: Final = '''
    @property
    def asynchronous(self) -> scripting.Desktop:
        """The desktop with `await`, for work that `run` carries out."""
        return self._inner

    def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Carry out work with `await` in the event loop of the desktop, and return its result."""
        return call(self._portal, work)

    def wait_until(self, holds: Callable[[], T | None], *, timeout_s: float | None = None) -> T | None:
        """Evaluate a condition now and after each change of the desktop, and return its first result that is neither
        None nor False; None at the deadline.

        It is called in another thread, and may use the desktop, its windows and locators. Recoverable errors count as
        "not yet". Raises: UsageError (it is asynchronous), DesktopGone.
        """
        return call(self._portal, partial(self._inner.wait_until, in_thread(holds), timeout_s=timeout_s))
'''
"""Members of the desktop that are its own, or are not as with `await`."""
_BY_HAND: Final = frozenset({"wait_until"})

Node = TypeVar("Node", ast.ClassDef, ast.AsyncFunctionDef)


def twin() -> str:
    """Return the text of the module, not yet formatted."""
    parts = [_HEAD]
    for module, name in TWINS:
        parts.append("\n".join(_class(_found(module, name, ast.ClassDef))))
    parts.append("\n".join(_opener(_found("desktop", "open_desktop", ast.AsyncFunctionDef))))
    return "\n\n".join(parts) + "\n"


def _found(module: str, name: str, kind: type[Node]) -> Node:
    tree = ast.parse((SOURCE / f"{module}.py").read_text())
    return next(node for node in tree.body if isinstance(node, kind) and node.name == name)


def _class(node: ast.ClassDef) -> Iterator[str]:
    inner = f"scripting.{node.name}"
    if node.name == "Locators":
        base, inner = "(Members, Generic[Inner])", "Inner"
    elif _is_locators(node):
        base = f"(Locators[{inner}])"
    else:
        base = "(Members)"
    yield f"class {node.name}{base}:"
    yield _docstring(node, 4)
    if not _is_locators(node):
        yield ""
        yield f"    def __init__(self, portal: BlockingPortal, inner: {inner}) -> None:"
        yield "        self._portal = portal"
        yield "        self._inner = inner"
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and _is_written(each):
            yield ""
            yield from _method(each)
    if node.name == "Desktop":
        yield _OWN


def _is_locators(node: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "Locators" for each in node.bases)


def _is_written(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether the twin has a method too, and it is written from here."""
    is_private = node.name.startswith("_") and node.name not in {"__str__", "__repr__"}
    return not is_private and node.name not in _BY_HAND


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    is_context = _is_context(node)
    if node.decorator_list and not is_context:
        yield "    @property"
    returned = "AbstractContextManager[None]" if is_context else ast.unparse(node.returns) if node.returns else None
    yield f"    def {node.name}({ast.unparse(node.args)}) -> {returned}:"
    if ast.get_docstring(node):
        yield _docstring(node, 8)
    if is_context:
        inner = f"self._inner.{node.name}({', '.join(_passed(node.args))})"
        value = f"self._portal.wrap_async_context_manager({inner})"
    elif node.decorator_list:
        value = f"self._inner.{node.name}"
    elif node.name in {"__str__", "__repr__"}:
        value = f"{node.name.strip('_')}(self._inner)"
    elif isinstance(node, ast.AsyncFunctionDef):
        value = f"call(self._portal, {_deferred(node)})"
    else:
        value = f"self._inner.{node.name}({', '.join(_passed(node.args))})"
    yield f"        return {_wrapped(value, _returned(node))}"


def _is_context(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "asynccontextmanager" for each in node.decorator_list)


def _deferred(node: ast.AsyncFunctionDef) -> str:
    passed = _passed(node.args)
    return f"partial(self._inner.{node.name}, {', '.join(passed)})" if passed else f"self._inner.{node.name}"


def _passed(arguments: ast.arguments) -> list[str]:
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args) if each.arg != "self"]
    named = [f"{each.arg}={each.arg}" for each in arguments.kwonlyargs]
    return positional + named + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else [])


def _returned(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.unparse(node.returns).strip("'\"") if node.returns else "None"


def _wrapped(value: str, returned: str) -> str:
    match returned:
        case "Locator" | "Window" | "ControlExpectation" | "WindowExpectation":
            return f"{returned}(self._portal, {value})"
        case "tuple[Window, ...]":
            return f"tuple(Window(self._portal, each) for each in {value})"
        case _:
            return value


def _docstring(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, indent: int) -> str:
    margin = " " * indent
    first, *more = (ast.get_docstring(node) or "").split("\n")
    lines = [f'{margin}"""{first}', *(f"{margin}{line}".rstrip() for line in more)]
    return "\n".join(lines) + (f'\n{margin}"""' if more else '"""')


def _opener(node: ast.AsyncFunctionDef) -> Iterator[str]:
    yield f"def {node.name}(  # noqa: PLR0913 - as there"
    yield f"    {ast.unparse(node.args)}"
    yield ") -> AbstractContextManager[Desktop]:"
    yield _docstring(node, 4)
    yield f"    return Opened(scripting.{node.name}({', '.join(_passed(node.args))}), Desktop)"


def main() -> int:
    ruff = (str(ROOT / ".venv" / "bin" / "ruff"), "format", "--stdin-filename", str(TARGET), "-")
    formatted = subprocess.run(ruff, input=twin(), capture_output=True, text=True, check=True).stdout
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(formatted)
        return 0
    if TARGET.read_text() != formatted:
        print("src/deskhand/sync.py differs from deskhand.scripting: python -m tools.sync_twin", file=sys.stderr)
        return 1
    print("src/deskhand/sync.py is up to date with deskhand.scripting")
    return 0


if __name__ == "__main__":
    sys.exit(main())
