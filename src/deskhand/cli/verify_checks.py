"""`deskhand verify --checks`: named statements of a file."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.tools.verify import Verify, Wanted
from deskhand.commands.tools.verify import verify as run_verify
from deskhand.config.yaml_values import Located, Source
from deskhand.core.command import Command, ToolType
from deskhand.core.errors import UsageError
from deskhand.core.ports import CheckResult
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import items_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.models.playbook_file import parse_selector

_TEXTS: Final = ("window", "file", "contains", "like")
_SELECTORS: Final = ("shows", "gone")
_KEYS: Final = (*_TEXTS, *_SELECTORS, "states")
_PATHS: Final = ("file", "like")


def read_checks(path: Path) -> dict[str, Wanted]:
    """Read statements by name, each with the keys of `expect` in a playbook; paths are relative to the file's folder.

    Raises: UsageError with all mistakes by line.
    """
    source = Source(str(path))
    root = source.parse(_text(path))
    named = source.mapping(root, "the file") if root is not None else {}
    found = {name: _wanted(name, node, source, path.absolute().parent) for name, node in named.items()}
    if not found and not source.problems:
        source.complain(1, "there is nothing to check")
    if source.problems:
        raise UsageError("\n".join(source.problems), fix=f"correct the listed lines of {path}")
    return {name: wanted for name, wanted in found.items() if wanted is not None}


def _text(path: Path) -> str:
    """Raises: UsageError."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"cannot read the checks {path}: {reason}", fix="give the path of a readable file") from error


def _wanted(name: str, node: Located, source: Source, folder: Path) -> Wanted | None:
    """One statement; None where it has a mistake, which is noted."""
    before = len(source.found)
    entries = source.mapping(node, f"the check {name!r}", _KEYS)
    selectors = {key: parse_selector(entries[key], source, key) for key in _SELECTORS if key in entries}
    texts = {key: source.text(entries.get(key), key) for key in _TEXTS}
    states = list(source.texts(entries.get("states"), "states"))
    if len(source.found) > before:
        return None
    paths = {key: str(folder / texts[key]) for key in _PATHS if texts[key]}
    try:
        return Wanted.model_validate({**texts, **selectors, **paths, "states": states})
    except ValidationError as error:
        for each in error.errors():
            source.complain(node.line, f"{name}: {each['msg'].removeprefix('Value error, ')}")
        return None


async def check_expected(desktop: Desktop, root: TargetInfo | None, arguments: Verify) -> tuple[CheckResult, ...]:
    """Check one expectation. Raises: DesktopGone."""
    command = Command("verify", {}, ToolType.DATA_COLLECTION, window=root)
    done = await run_verify(ToolContext(desktop), Call(command, None, root), arguments)
    return items_of(done.data, CheckResult)


async def check_named(
    desktop: Desktop, root: TargetInfo | None, named: Mapping[str, Wanted], wait_s: float
) -> tuple[CheckResult, ...]:
    """Check statements one after the other, each for at most `wait_s`; results have its name. Raises: DesktopGone."""
    checks: list[CheckResult] = []
    for name, wanted in named.items():
        results = await check_expected(desktop, root, Verify(expect=wanted, wait_s=wait_s))
        checks += [replace(each, name=f"{name}: {each.name}") for each in results]
    return tuple(checks)
