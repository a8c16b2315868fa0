"""Checks the words of the repository: `python tools/check_words.py [--figures]`. Exit code 1 if it finds something.

Forbidden are

- hosts of package registries, in any file: where packages come from is the reader's own setting, not ours;
- `unittest.mock`, in Python: tests use handwritten fakes;
- sleeping, in Python: code and tests wait for a condition with a deadline. Files that have to sleep are listed in
  `SLEEPERS` with the reason.

Marker words are words of everyday English that took the place of the field's own, such as `told` for reported. Some
are right in their place, so each room has a limit of them in `LIMITS` instead of a ban. `--figures` prints the figures
of each room and the table as it could be now.
"""

import ast
import io
import math
import re
import shutil
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

# Joined here, so that this file does not contain them itself.
_HOSTS: Final = (
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("yarnpkg", "com"),
    ("crates", "io"),
    ("rubygems", "org"),
    ("golang", "org"),
    ("anaconda", "org"),
    ("deb.debian", "org"),
    ("security.debian", "org"),
    ("ftp.debian", "org"),
    ("archive.ubuntu", "com"),
)
HOSTS: Final = tuple(".".join(parts) for parts in _HOSTS)

SLEEPERS: Final[Mapping[str, str]] = {
    "src/deskhand/cli/streams.py": "nothing reports that a process comes into the foreground; polled",
    "src/deskhand/notify/webhook.py": "a receiver that is absent or busy can only be waited for",
    "src/deskhand/pipeline/model_call.py": "a provider that asks to be left alone can only be waited for",
    "src/deskhand/desktop/linux/runtime/named_desktop.py": "a lock reports nothing when it is free; polled",
    "src/deskhand/desktop/linux/runtime/vnc_server.py": "nothing reports that a port is open; polled",
    "src/deskhand/desktop/linux/toolkits/libreoffice/uno_helper/session.py": "nothing reports that a pipe is there",
    "src/deskhand/desktop/windows/base.py": "Windows reports no change of content that all programs share; polled",
    "src/deskhand/store/lock.py": "a lock reports nothing when it is free; polled",
    "tests/apps/deceiving.py": "plays an application whose handler hangs",
    "tests/apps/office_truth.py": "an office does not say when its socket is there; asked up to a deadline",
    "tests/apps/pyatspi_act.py": "the baseline: what test tools do after each action",
    "tests/commands/test_busy_programs.py": "plays a desktop, on a clock that jumps",
    "tests/desktop/linux/test_deed.py": "plays an application that is slow",
    "tests/desktop/linux/test_spreadsheet_cells.py": "keeps an application stopped for a time",
    "tools/bench_view.py": "paints at a rate, and measures an idle process over a time",
    "tools/miniwob/buttons.py": "a page asks for a pause between two clicks",
}
"""Path (from the root) → why this file may sleep."""

MARKERS: Final = frozenset(
    {
        "what",
        "whatever",
        "whoever",
        "tell",
        "tells",
        "told",
        "untold",
        "telling",
        "say",
        "says",
        "said",
        "saying",
        "stand",
        "stands",
        "stood",
        "standing",
        "kept",
        "keeps",
        "looks",
        "looked",
    }
)
AIM: Final = 4
"""Marker words per 1 000 words that a room without a limit may have."""

LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    "docs": (5, 0),
    "docs/decisions": (4, 0),
    "pages": (4, 0),
    "src": (40, 0),
    "src/agents": (4, 0),
    "src/cli": (4, 1),
    "src/commands": (4, 0),
    "src/config": (4, 0),
    "src/core": (4, 1),
    "src/desktop": (4, 0),
    "src/desktop/linux/atspi": (4, 4),
    "src/desktop/linux/dbus": (4, 0),
    "src/desktop/linux/idle": (4, 0),
    "src/desktop/linux/observe": (4, 0),
    "src/desktop/linux/runtime": (4, 0),
    "src/desktop/linux/toolkits": (5, 3),
    "src/desktop/linux/x11": (4, 0),
    "src/eval": (4, 0),
    "src/knowledge": (4, 0),
    "src/memory": (4, 0),
    "src/models": (4, 0),
    "src/perception": (4, 0),
    "src/pipeline": (4, 0),
    "src/policy": (4, 0),
    "src/prompts": (4, 0),
    "src/report": (4, 0),
    "src/serve": (4, 0),
    "src/session": (4, 0),
    "src/states": (4, 0),
    "src/store": (4, 0),
    "tests": (50, 288),
    "tools": (19, 27),
}
"""Room → marker words per 1 000 words of prose, and docstrings that begin with a question word. Only ever lower."""

_CODE: Final = (
    re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL),
    re.compile(r"(`+)[^`]+?\1"),
    re.compile(r"\]\([^)]*\)"),
)
_DIRECTIVE: Final = re.compile(r"#\s*(noqa|pyright|ruff|type|fmt|pragma|upstream)\b")
_WORD: Final = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_QUESTION: Final = re.compile(r"(What|Whatever|Whether|Where|How|Who|Whoever)\b")

_SLEEPING_MODULES: Final = frozenset({"time", "asyncio", "anyio"})
_SKIPPED: Final = frozenset({".git", ".venv", ".tools", "__pycache__", "deskhand-demo", "deskhand-soak", "dist"})


def project_files(root: Path) -> list[Path]:
    """Files of the repository; without git, all files outside of generated folders."""
    if (root / ".git").exists() and shutil.which("git"):
        listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = subprocess.run(listing, cwd=root, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        paths = [root / name for name in names if name]
    else:
        paths = [path for path in root.rglob("*") if _SKIPPED.isdisjoint(path.relative_to(root).parts)]
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def hosts_in(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers and messages."""
    lowered = text.lower()
    for host in HOSTS:
        if host in lowered:
            for number, line in enumerate(lowered.splitlines(), start=1):
                if host in line:
                    yield number, f"names {host}, the host of a package registry"


def words_in_python(text: str, *, may_sleep: bool = False) -> Iterator[tuple[int, str]]:
    """Line numbers and messages for mocks and sleeps, however they are imported. Raises: SyntaxError."""
    tree = ast.parse(text)
    modules = dict(_module_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = {alias.name for alias in node.names}
            if node.module == "unittest.mock" or (node.module == "unittest" and "mock" in names):
                yield node.lineno, "unittest.mock is not used here: write a fake"
            elif node.module in _SLEEPING_MODULES and "sleep" in names and not may_sleep:
                yield node.lineno, _no_sleep(f"{node.module}.sleep")
        elif isinstance(node, ast.Import):
            if any(alias.name == "unittest.mock" for alias in node.names):
                yield node.lineno, "unittest.mock is not used here: write a fake"
        elif isinstance(node, ast.Attribute) and node.attr == "sleep" and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            if module in _SLEEPING_MODULES and not may_sleep:
                yield node.lineno, _no_sleep(f"{module}.sleep")


def _module_names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names of imported modules in this file, with the module of each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], alias.name


def _no_sleep(call: str) -> str:
    return f"{call}: wait for a condition with a deadline, or give a reason in SLEEPERS of tools/check_words.py"


def findings(root: Path, paths: Iterable[Path], sleepers: Mapping[str, str]) -> list[str]:
    """`path:line: message` for each finding, unused entries of `SLEEPERS` included."""
    found: list[str] = []
    needless = dict(sleepers)
    for path in paths:
        name = path.relative_to(root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # a picture or a document
            continue
        hits = list(hosts_in(text))
        if path.suffix == ".py":
            if name in needless and any(".sleep" in message for _, message in words_in_python(text)):
                del needless[name]
            hits += words_in_python(text, may_sleep=name in sleepers)
        found += (f"{name}:{line}: {message}" for line, message in hits)
    found += (f"{name}: is listed in SLEEPERS and does not sleep" for name in needless)
    return found


@dataclass(slots=True)
class Figures:
    """Prose of one room. `openings`: docstrings that begin with a question word."""

    words: int = 0
    openings: int = 0
    markers: Counter[str] = field(default_factory=Counter[str])

    @property
    def per_1000(self) -> float:
        return 1000 * self.markers.total() / self.words if self.words else 0.0

    def add(self, prose: str) -> None:
        """Adds a text without its code blocks, code spans and link targets."""
        for code in _CODE:
            prose = code.sub(" ", prose)
        words = [word.group().lower() for word in _WORD.finditer(prose)]
        self.words += len(words)
        self.markers.update(word for word in words if word in MARKERS)


def docstrings_in(text: str) -> Iterator[str]:
    """Docstrings, those below fields included. Raises: SyntaxError."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def comments_in(text: str) -> Iterator[str]:
    """Comments that are no directives to a tool."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not _DIRECTIVE.match(token.string):
            yield token.string


def room_of(path: Path) -> str:
    """Room of a path relative to the root: a package of `src/deskhand` or of its `desktop/linux`, a folder, or `pages`
    for the root itself.
    """
    match path.parts:
        case ("src", _, "desktop", "linux", part, _, *_):
            return f"src/desktop/linux/{part}"
        case ("src", _, room, _, *_):
            return f"src/{room}"
        case ("docs", "decisions", *_):
            return "docs/decisions"
        case (folder, _, *_):
            return folder
        case _:
            return "pages"


def figures_of(root: Path, paths: Iterable[Path]) -> dict[str, Figures]:
    """Figures of each room that has Python or Markdown files."""
    rooms: dict[str, Figures] = {}
    for path in paths:
        if path.suffix not in {".py", ".md"}:
            continue
        room = rooms.setdefault(room_of(path.relative_to(root)), Figures())
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            room.add(text)
            continue
        for docstring in docstrings_in(text):
            room.add(docstring)
            room.openings += bool(_QUESTION.match(docstring.lstrip()))
        for comment in comments_in(text):
            room.add(comment)
    return dict(sorted(rooms.items()))


def over_limit(rooms: Mapping[str, Figures], limits: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """One message for each limit that a room exceeds."""
    for name, room in rooms.items():
        most_markers, most_openings = limits.get(name, (AIM, 0))
        if room.per_1000 > most_markers:
            words = ", ".join(f"{word} {count}" for word, count in room.markers.most_common(5))
            yield f"{name}: {room.per_1000:.1f} marker words per 1 000, {most_markers} are allowed ({words})"
        if room.openings > most_openings:
            yield f"{name}: {room.openings} docstrings begin with a question word, {most_openings} are allowed"


def print_figures(rooms: Mapping[str, Figures]) -> None:
    """Prints the figures, then `LIMITS` as it could be now."""
    for name, room in rooms.items():
        words = ", ".join(f"{word} {count}" for word, count in room.markers.most_common(5))
        print(f"{name:26} {room.words:6} words {room.per_1000:5.1f} {room.openings:4} openings  {words}")
    whole = Figures()
    for name, room in rooms.items():
        if name.startswith("src"):
            whole.words += room.words
            whole.openings += room.openings
            whole.markers.update(room.markers)
    print(f"{'src in all':26} {whole.words:6} words {whole.per_1000:5.1f} {whole.openings:4} openings")
    for name, room in rooms.items():
        print(f'    "{name}": ({max(AIM, math.ceil(room.per_1000))}, {room.openings}),')


def main() -> int:
    paths = project_files(ROOT)
    rooms = figures_of(ROOT, paths)
    if "--figures" in sys.argv[1:]:
        print_figures(rooms)
        return 0
    found = [*findings(ROOT, paths, SLEEPERS), *over_limit(rooms, LIMITS)]
    print("\n".join(found) or "no forbidden words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
