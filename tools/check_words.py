"""Looks for what must not stand in the repository: `python tools/check_words.py`. Exit code 1 where it stands.

- hosts of package registries, in any file: where packages come from is the reader's own setting, not ours;
- `unittest.mock`, in Python: tests use fakes that somebody wrote;
- sleeping, in Python: code and tests wait for a condition with a deadline. Where the wait is itself the point,
  the file stands in `SLEEPERS` with the reason.
"""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent

# Put together here, so that this file does not hold them itself.
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
    "src/deskhand/pipeline/model_call.py": "a provider that asks to be left alone can only be waited for",
    "src/deskhand/desktop/linux/runtime/named.py": "a lock tells nobody when it is free; asked up to a deadline",
    "src/deskhand/store/lock.py": "a lock tells nobody when it is free; asked up to a deadline",
    "tests/apps/deceiving.py": "plays an application whose handler hangs",
    "tests/apps/office_truth.py": "an office does not say when its socket is there; asked up to a deadline",
    "tests/apps/pyatspi_act.py": "the baseline: what test tools do after each action",
    "tests/desktop/linux/test_deed.py": "plays an application that is slow",
}
"""Path (from the root) → why this file may sleep."""

_SLEEPING_MODULES: Final = frozenset({"time", "asyncio", "anyio"})
_SKIPPED: Final = frozenset({".git", ".venv", ".tools", "__pycache__", "deskhand-demo", "deskhand-soak", "dist"})


def project_files(root: Path) -> list[Path]:
    """The files that belong to the repository; without git, all that are not known to be made here."""
    paths = [path for path in root.rglob("*") if _SKIPPED.isdisjoint(path.relative_to(root).parts)]
    if (root / ".git").exists() and shutil.which("git"):
        listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = subprocess.run(listing, cwd=root, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        paths = [root / name for name in names if name]
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
    """What each imported module is called in this file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], alias.name


def _no_sleep(call: str) -> str:
    return f"{call}: wait for a condition with a deadline, or give a reason in SLEEPERS of tools/check_words.py"


def findings(root: Path, paths: Iterable[Path], sleepers: Mapping[str, str]) -> list[str]:
    """`path:line: what` for everything found, allowances that nothing needs among it."""
    found: list[str] = []
    needless = dict(sleepers)
    for path in paths:
        name = path.relative_to(root).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # a picture or a document; nobody reads words there
            continue
        hits = list(hosts_in(text))
        if path.suffix == ".py":
            if name in needless and any(".sleep" in message for _, message in words_in_python(text)):
                del needless[name]
            hits += words_in_python(text, may_sleep=name in sleepers)
        found += (f"{name}:{line}: {message}" for line, message in hits)
    found += (f"{name}: stands in SLEEPERS and does not sleep" for name in needless)
    return found


def main() -> int:
    found = findings(ROOT, project_files(ROOT), SLEEPERS)
    print("\n".join(found) or "no forbidden words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
