"""Suites in folders: `suite.yaml`, and for each task a folder with `task.yaml` (docs/guide/eval.md)."""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskhand.config.sections import Budget as Positive
from deskhand.config.sections import Count
from deskhand.config.yaml_values import Located, Source, kind_of, suggestion
from deskhand.core.errors import StoreError, UsageError
from deskhand.core.file_stamp import stamp_of
from deskhand.eval.check import run_check
from deskhand.eval.suite import Budget, Setup, Suite, SuiteTask, TaskDetails
from deskhand.session.plan_file import Words
from deskhand.store.atomic_files import store_error

SUITE_NAME: Final = "suite.yaml"
TASK_NAME: Final = "task.yaml"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_IGNORED: Final = frozenset({".git", "__pycache__"})
_OPEN: Final = ".~lock."
"""LibreOffice's mark beside a document that is open."""
_PLAIN: Final = {
    "dict_type": "it is no mapping",
    "float_type": "it is no number",
    "greater_than": "it is not above 0",
    "greater_than_equal": "it is not at least 1",
    "int_type": "it is no whole number",
    "model_type": "it is no mapping",
    "string_type": "it is no text",
    "too_short": "it is empty",
    "tuple_type": "it is no list",
}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _BudgetKeys(_Part):
    steps: Count | None = None
    seconds: Positive | None = None
    cost_usd: Positive | None = None


class _TaskKeys(_Part):
    """Keys of `task.yaml`, all optional as in the defaults of a suite."""

    request: Words | None = None
    files: tuple[Words, ...] | None = None
    applications: tuple[Words, ...] | None = None
    answers: dict[Words, Words] | None = None
    confirm: Literal["never", "approve"] | None = None
    check: Annotated[tuple[Words, ...], Field(min_length=1)] | None = None
    budget: _BudgetKeys | None = None
    tags: tuple[Words, ...] | None = None
    solution: Words | None = None
    untouched: Literal["passes"] | None = None

    def over(self, defaults: "_TaskKeys") -> "_TaskKeys":
        """These keys, and those of the defaults that are not among them; answers and budgets are joined."""
        given = {**_given(defaults), **_given(self)}
        given["answers"] = {**(defaults.answers or {}), **(self.answers or {})}
        own, other = self.budget or _BudgetKeys(), defaults.budget or _BudgetKeys()
        given["budget"] = _BudgetKeys.model_validate({**_given(other), **_given(own)})
        return _TaskKeys.model_validate(given)


class _SuiteKeys(_Part):
    description: Words | None = None
    defaults: _TaskKeys = _TaskKeys()


K = TypeVar("K", bound=_Part)


def _given(keys: _Part) -> dict[str, object]:
    return {name: value for name in type(keys).model_fields if (value := getattr(keys, name)) is not None}


@dataclass(frozen=True, slots=True)
class FolderTask:
    """A task of a folder. `check` is an argument vector; `files` and `applications` are opened."""

    details: TaskDetails
    folder: Path
    check: tuple[str, ...]
    files: tuple[str, ...]
    applications: tuple[str, ...]

    @asynccontextmanager
    async def set_up(self, work: Path, number: int) -> AsyncGenerator[Setup]:  # noqa: ARG002 - all trials are equal
        """Copy the files of the task into `work`. Raises: StoreError."""
        for name in self.files:
            _copy(self.folder / name, work / name)
        files = tuple(work / name for name in self.files)
        yield Setup(partial(run_check, self.check, self.folder, work), files, self.applications)


def _copy(source: Path, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)
            target.chmod(source.stat().st_mode | 0o200)  # a suite may be installed without permission to write
    except shutil.Error as error:  # of a folder, with a list of (source, target, reason)
        raise StoreError(f"Could not copy {source} to {target}: {error.args[0][0][2]}") from error
    except OSError as error:
        raise store_error(f"copy {source} to", target, error) from error


def read_suite(folder: Path) -> Suite:
    """Read a suite; relative names are beside the `task.yaml` that has them.

    Raises: UsageError, naming every problem of every task by file and line.
    """
    reader = _Reader()
    try:
        keys = reader.suite_keys(folder / SUITE_NAME)
        tasks = [*reader.tasks(folder, None if reader.problems else keys.defaults)]
        digest = _digest(folder)
    except OSError as error:
        raise UsageError(
            f"cannot read the suite {folder}: {error.strerror or error}", fix="give a readable folder"
        ) from error
    if not tasks and not reader.problems:
        reader.problems.append(f"{folder}: there are no tasks in it")
    if reader.problems:
        raise UsageError(
            "\n".join(reader.problems),
            fix=f"a suite is a folder of tasks, each a folder with {TASK_NAME}: request, check and perhaps files",
        )
    read_digest = partial(_digest, folder.absolute())
    return Suite(folder.resolve().name, keys.description or "", digest, tuple(tasks), read_digest)


@dataclass(slots=True)
class _Reader:
    """Problems found so far, in the order of the files."""

    problems: list[str] = field(default_factory=list[str])

    def suite_keys(self, path: Path) -> _SuiteKeys:
        """Keys of a suite's own file, which may be missing. Raises: OSError."""
        return self._read(path, _SuiteKeys, "the suite")[0] if path.exists() else _SuiteKeys()

    def tasks(self, folder: Path, defaults: _TaskKeys | None) -> Iterator[SuiteTask]:
        """Tasks of the folders in a suite that do not begin with `.` or `_`; `defaults`: None if they are wrong.

        Raises: OSError.
        """
        ids: dict[str, str] = {}
        for path in sorted(folder.iterdir()):
            if not path.is_dir() or path.name.startswith((".", "_")):
                continue
            first = ids.setdefault(path.name.casefold(), path.name)
            if first != path.name:
                self.problems.append(f"{path}: only the case of its name differs from that of {first}")
            task = self._task(path, defaults)
            if task is not None:
                yield task

    def _task(self, folder: Path, defaults: _TaskKeys | None) -> FolderTask | None:
        if not _ID.fullmatch(folder.name):
            self.problems.append(
                f"{folder}: a task is named by letters, digits, '_' and '-', at most 80; other folders begin with '_'"
            )
        path = folder / TASK_NAME
        if stamp_of(path) is None:
            self.problems.append(f"{folder}: there is no file {TASK_NAME} in it; folders that are no task begin with _")
            return None
        own, root, source = self._read(path, _TaskKeys, "the task")
        if source.problems or defaults is None:
            return None
        task = _Draft(folder.absolute(), own.over(defaults), root, source).task()
        self.problems += source.problems
        return None if source.problems else task

    def _read(self, path: Path, kind: type[K], what: str) -> tuple[K, Located, Source]:
        """Keys of a file, none where it has a problem. Raises: OSError."""
        source = Source(str(path))
        root = Located({}, 1)
        try:
            if stamp_of(path) is None:
                source.complain(1, "it is no file")  # a pipe would block
            else:
                root = source.parse(path.read_text(encoding="utf-8")) or root
        except UnicodeDecodeError:
            source.complain(1, "it is no text in UTF-8")
        keys = kind()
        if not source.problems and not isinstance(root.value, dict):
            source.complain(root.line, f"{what} is a mapping of keys, not {kind_of(root)}")
        elif not source.problems:
            try:
                keys = kind.model_validate(root.plain())
            except ValidationError as error:
                for problem in error.errors():
                    where = problem["loc"]
                    words = _explained(kind, where, problem["type"], problem["msg"])
                    source.complain(_line(root, where), words)
        self.problems += source.problems
        return keys, root, source


def _line(node: Located, where: Sequence[int | str]) -> int:
    """Line of the value at a place, or of the nearest one that is there."""
    for part in where:
        match node.value, part:
            case dict() as entries, str() if part in entries:
                node = entries[part]
            case list() as items, int() if part < len(items):
                node = items[part]
            case _:
                break
    return node.line


def _explained(of: type[_Part], where: Sequence[int | str], problem: str, message: str) -> str:
    """A problem that pydantic found, with its key."""
    name = ".".join(str(part) for part in where)
    if problem == "extra_forbidden":
        known = _BudgetKeys if "budget" in where[:-1] else of if len(where) == 1 else _TaskKeys
        return f"there is no key {name!r}{suggestion(str(where[-1]), known.model_fields)}"
    plain = message.removeprefix("Value error, ").replace("Input should be", "it is not")
    return f"{name}: {_PLAIN.get(problem, plain)}"


@dataclass(frozen=True, slots=True)
class _Draft:
    """A task whose keys are of the right types; its files are looked for."""

    folder: Path
    keys: _TaskKeys
    root: Located
    source: Source

    def task(self) -> FolderTask | None:
        """The task; None where a key or a file is missing, with the problem in `source`."""
        keys = self.keys
        if keys.request is None:
            self._complain("request", "there is no request")
        if keys.check is None:
            self._complain("check", "there is no check, the command that judges the result: check: [python, check.py]")
        files, applications = keys.files or (), keys.applications or ()
        self._check_files(files)
        command = self._command(keys.check or ())
        solution = None if keys.solution is None else self.folder / keys.solution
        if solution is not None and stamp_of(solution) is None:
            self._complain("solution", f"there is no file {solution}")
        return None if self.source.problems else FolderTask(self._details(), self.folder, command, files, applications)

    def _details(self) -> TaskDetails:
        keys, budget = self.keys, self.keys.budget or _BudgetKeys()
        return TaskDetails(
            id=self.folder.name,
            request=keys.request or "",
            tags=keys.tags or (),
            answers=keys.answers or {},
            approves=keys.confirm == "approve",
            budget=Budget(budget.steps, budget.seconds, budget.cost_usd),
            solution=None if keys.solution is None else self.folder / keys.solution,
            passes_untouched=keys.untouched == "passes",
        )

    def _complain(self, key: str, message: str) -> None:
        self.source.complain(_line(self.root, (key,)), message)

    def _check_files(self, names: Sequence[str]) -> None:
        seen: list[Path] = []
        for name in names:
            path = Path(name)
            if path.is_absolute() or not path.parts or ".." in path.parts or self._leads_out(path):
                self._complain("files", f"files: {name} is not beside {TASK_NAME}")
            elif stamp_of(self.folder / path) is None and not _is_folder(self.folder / path):
                self._complain("files", f"files: there is no file {self.folder / path}")
            folded = Path(name.casefold())
            if any(folded.is_relative_to(each) or each.is_relative_to(folded) for each in seen):
                self._complain("files", f"files: {name} is there twice")
            seen.append(folded)

    def _leads_out(self, path: Path) -> bool:
        """True for a link to a file outside the suite."""
        return not (self.folder / path).resolve().is_relative_to(self.folder.parent.resolve())

    def _command(self, written: Sequence[str]) -> tuple[str, ...]:
        """The check as an argument vector: `python` is this interpreter, files beside the task are absolute.

        An argument that names one of the task's `files` stays as it is: the check reads the copy in its folder.
        """
        if not written:
            return ()
        program, *arguments = written
        script = arguments[0] if program == "python" and arguments else ""
        if script and not script.startswith("-") and stamp_of(self.folder / script) is None:
            self._complain("check", f"check: there is no file {self.folder / script}")
        found = [self._absolute(name) if name not in (self.keys.files or ()) else name for name in arguments]
        return (sys.executable if program == "python" else self._program(program), *found)

    def _program(self, name: str) -> str:
        path = self.folder / name
        if stamp_of(path) is not None:
            if not os.access(path, os.X_OK):
                self._complain("check", f"check: {path} is not executable")
            return self._absolute(name)
        found = shutil.which(name)
        if found is None:
            self._complain("check", f"check: there is no program {name!r}, and no file {path}")
        return found or name

    def _absolute(self, name: str) -> str:
        beside = not name.startswith("-") and stamp_of(self.folder / name) is not None
        return str((self.folder / name).absolute()) if beside else name


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _digest(folder: Path) -> str:
    """Digest of the names and contents of a suite's files. Raises: OSError."""
    total = hashlib.sha256()
    for path in _files(folder):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(f"{path.relative_to(folder)}\0{content}\0".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _files(folder: Path, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """Files below a folder, also behind links; a link to a folder that contains it is not followed. Raises: OSError."""
    line = (*above, folder.resolve())
    for path in sorted(folder.iterdir()):
        if path.name in _IGNORED or path.name.startswith(_OPEN):
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and path.resolve() not in line:
            yield from _files(path, line)
