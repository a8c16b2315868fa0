"""Plans and tasks as files, for `follower` and `batch` sessions (contract 2.3)."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    ValidationError,
    ValidationInfo,
)

from deskhand.core.errors import UsageError
from deskhand.core.json import read_json
from deskhand.core.text import is_text

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PLAIN: Final = {
    "bool_type": "it is neither true nor false",
    "extra_forbidden": "there is no such key",
    "missing": "it is missing",
    "model_type": "it is no JSON object",
    "string_type": "it is no text",
    "too_short": "it is empty",
    "tuple_type": "it is no list",
}
_AS_ID: Final = "letters, digits, '.', '_' and '-', beginning with a letter or digit, at most 100, and no '.json'"


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    if not is_text(text):
        raise ValueError("it is no valid text")
    return text


def _as_folder(name: str) -> str:
    if not _ID.fullmatch(name) or name.lower().endswith(".json"):
        raise ValueError(f"it is to name a folder: {_AS_ID}")
    return name


def _file_beside(written: str, info: ValidationInfo) -> str:
    """Return a path relative to the file that names it. Raises: ValueError where nothing is there."""
    path = Path(_path_beside(written, info))
    try:
        there = path.exists()
    except OSError as error:
        raise ValueError(f"there is no file {path}: {error.strerror or error}") from error
    if not there:
        raise ValueError(f"there is no file {path}")
    return str(path)


def _path_beside(written: str, info: ValidationInfo) -> str:
    """Return a path relative to the file that names it, without checking that it exists."""
    folder: Path = info.context  # pyright: ignore[reportAssignmentType] - set by `_parse`
    try:
        return str(folder.absolute() / Path(written).expanduser())
    except RuntimeError as error:  # the home folder of an unknown user
        raise ValueError(str(error)) from error


Words = Annotated[StrictStr, AfterValidator(_said)]


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PlanFile(_Written):
    """A task divided into steps by the user. `object` is the document of the steps."""

    task: Words
    steps: Annotated[tuple[Words, ...], Field(min_length=1)]
    object: Annotated[Words, AfterValidator(_file_beside)] | None = None


class Task(_Written):
    """One session of a batch. `close`: the application of `object` is asked to close at the end."""

    id: Annotated[StrictStr, AfterValidator(_as_folder)]
    task: Words
    object: Annotated[Words, AfterValidator(_path_beside)] | None = None
    close: StrictBool = False


W = TypeVar("W", bound=_Written)


def read_plan(path: Path) -> PlanFile:
    """Read a plan; a relative `object` is relative to the file. Raises: UsageError, naming every problem."""
    problems: list[str] = []
    plan = _parse(_text_of(path), PlanFile, str(path), path.parent, problems)
    if plan is None:
        raise _wrong(problems, 'a plan is {"task": TEXT, "steps": [TEXT, …]} and perhaps "object": PATH')
    return plan


def read_tasks(path: Path) -> tuple[Task, ...]:
    """Read the tasks of a folder of JSON files (in the order of their names), or of a file with one JSON object a line.

    A relative `object` is relative to the file. Raises: UsageError, naming every problem.
    """
    problems: list[str] = []
    tasks: list[Task] = []
    places: dict[str, str] = {}
    folder = path if path.is_dir() else path.parent
    for place, text in _texts(path):
        task = _parse(text, Task, place, folder, problems)
        if task is None:
            continue
        if task.id in places:
            problems.append(f"{place}: the id {task.id!r} is taken by {places[task.id]}")
        places.setdefault(task.id, place)
        tasks.append(task)
    if not tasks and not problems:
        problems.append(f"{path}: there are no tasks in it")
    if problems:
        raise _wrong(problems, 'a task is {"id": NAME, "task": TEXT} and perhaps "object": PATH and "close": true')
    return tuple(tasks)


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        for file in sorted(path.glob("*.json")):
            yield str(file), _text_of(file)
        return
    for number, line in enumerate(_text_of(path).split("\n"), start=1):  # a text may contain other line breaks
        if line.strip():
            yield f"{path}:{number}", line


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}", fix="give a readable file") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {path}: it is no text in UTF-8", fix="save it as UTF-8") from error


def _parse(text: str, kind: type[W], place: str, folder: Path, problems: list[str]) -> W | None:
    """Return the object in a text, its paths relative to `folder`; None where it is invalid, with the reason in
    `problems`.
    """
    try:
        return kind.model_validate(read_json(text), context=folder)
    except json.JSONDecodeError as error:
        problems.append(f"{place}: not JSON: {error.msg} (line {error.lineno}, column {error.colno})")
    except ValidationError as error:
        problems += [f"{place}: {_told(problem['loc'], problem['type'], problem['msg'])}" for problem in error.errors()]
    except ValueError as error:  # nested too deep, or a number with too many digits
        problems.append(f"{place}: not JSON that makes sense: {error}")
    return None


def _told(where: Sequence[int | str], kind: str, message: str) -> str:
    name = "".join(f"[{part}]" if isinstance(part, int) else str(part) for part in where)
    plain = _PLAIN.get(kind, message.removeprefix("Value error, "))
    return f"{name}: {plain}" if name else plain


def _wrong(problems: Sequence[str], fix: str) -> UsageError:
    return UsageError("\n".join(problems), fix=fix)
