"""Desktop entries: the applications that are installed on a machine (Desktop Entry Specification 1.5)."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from deskhand.desktop.applications import IN_TERMINAL
from deskhand.desktop.freedesktop.command_line import without_env, without_wrappers
from deskhand.desktop.freedesktop.folders import Folders
from deskhand.desktop.freedesktop.keyfile import items, read_key_file, unescaped

_GROUP: Final = "Desktop Entry"
_SUFFIX: Final = ".desktop"
_FILE_CODES: Final = frozenset("fFuU")
_DROPPED_CODES: Final = frozenset("dDnNvm")
_ONLY_BUS: Final = "it can only be activated over D-Bus (it has no Exec)"
_PART: Final = re.compile(r'"(?P<quoted>(?:\\.|[^"\\])*)"|\\(?P<escaped>.)|[^\s"]', re.DOTALL)
"""A piece of a word. Outside of quotes a backslash is not foreseen; it is taken as shells take it."""
_QUOTED_ESCAPE: Final = re.compile(r'\\(["`$\\])')


@dataclass(frozen=True, slots=True)
class Entry:
    """One application, from its `.desktop` file.

    `id` is the file's desktop file id without its suffix. `argv` has no field codes; `argv_with_file` has `{file}` for
    one file. `names` are its names, the localised one first; `is_alone`: its program takes no arguments but files.
    `takes_files`: its command has a field code for files, or it declares types. `is_shown`: it belongs into the menus
    of this desktop environment. `problem`: why it cannot be opened.
    """

    id: str
    path: Path
    names: tuple[str, ...]
    generic_names: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    argv_with_file: tuple[str, ...] = ()
    is_alone: bool = False
    takes_files: bool = True
    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    window_class: str = ""
    is_shown: bool = True
    problem: str = ""


class BadExec(ValueError):
    """An `Exec` that breaks the rules of quoting."""


@cache
def entries(folders: Folders) -> tuple[Entry, ...]:
    """Return every application of the machine by its id, read once per process. An entry of a folder replaces one of
    the same id in the folders after it, also one that only deletes it (`Hidden`).
    """
    found: dict[str, Entry | None] = {}
    for data in folders.data:
        root = data / "applications"
        for path in _entry_files(root):
            name = str(path.relative_to(root)).removesuffix(_SUFFIX).replace("/", "-")
            if name not in found:
                found[name] = _read(name, path, folders)
    return tuple(sorted((entry for entry in found.values() if entry), key=lambda entry: entry.id))


def _entry_files(root: Path) -> Iterator[Path]:
    """Yield the entry files in the order of their names; none of a folder that cannot be listed."""
    for folder, folders, files in os.walk(root, followlinks=False):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(_SUFFIX))


def _read(name: str, path: Path, folders: Folders) -> Entry | None:
    """The entry; None where it is no application, is deleted, or cannot be read."""
    try:
        keys = read_key_file(path).get(_GROUP, {})
    except OSError:
        return None
    if keys.get("Type", "Application") != "Application" or _is_true(keys, "Hidden"):
        return None
    title = _localised(keys, "Name", folders.languages)
    try:
        command = _command(keys, path, next(iter(title), name), folders)
        problem = _problem(keys, command.argv, folders)
    except BadExec as error:
        command, problem = _Command(), f"its Exec cannot be understood: {error}"
    keywords = _localised(keys, "Keywords", folders.languages, raw=True)
    types = items(keys.get("MimeType", ""))
    return Entry(
        id=name,
        path=path,
        names=title,
        generic_names=_localised(keys, "GenericName", folders.languages),
        keywords=tuple(word for text in keywords for word in items(text)),
        argv=command.argv,
        argv_with_file=command.argv_with_file,
        is_alone=command.is_alone,
        takes_files=command.has_file_code or bool(types),
        types=types,
        categories=items(keys.get("Categories", "")),
        window_class=unescaped(keys.get("StartupWMClass", "")),
        is_shown=not _is_true(keys, "NoDisplay") and _is_for(keys, folders.desktops),
        problem=problem,
    )


def _problem(keys: Mapping[str, str], argv: Sequence[str], folders: Folders) -> str:
    """Why the application cannot be opened; empty where it can."""
    tried = unescaped(keys.get("TryExec", ""))
    if tried and not _is_there(tried, folders):
        return f"its program {tried} is not installed"
    if not argv:
        return _ONLY_BUS if _is_true(keys, "DBusActivatable") else "it has no Exec"
    missing = next((name for name in (argv[0], *without_env(argv)[:1]) if not _is_there(name, folders)), "")
    if missing:
        return f"its program {missing} is not installed"
    return IN_TERMINAL if _is_true(keys, "Terminal") else ""


def _is_there(program: str, folders: Folders) -> bool:
    return shutil.which(program, path=folders.path) is not None


def _is_true(keys: Mapping[str, str], key: str) -> bool:
    return keys.get(key, "").lower() in {"true", "1"}


def _is_for(keys: Mapping[str, str], desktops: Sequence[str]) -> bool:
    """True if the desktop environment shows it; the environment's first name that a list has decides."""
    only, never = items(keys.get("OnlyShowIn", "")), items(keys.get("NotShowIn", ""))
    for desktop in desktops:
        if desktop in only:
            return True
        if desktop in never:
            return False
    return "OnlyShowIn" not in keys


def _localised(keys: Mapping[str, str], key: str, languages: Sequence[str], *, raw: bool = False) -> tuple[str, ...]:
    """The value in the preferred language that there is, then the one without a language."""
    preferred = next((keys[name] for language in languages if (name := f"{key}[{language}]") in keys), "")
    values = dict.fromkeys(filter(None, (preferred, keys.get(key, ""))))
    return tuple(values) if raw else tuple(" ".join(unescaped(value).split()) for value in values)


def split_exec(text: str) -> tuple[str, ...]:
    """The words of an `Exec`, without their quotes. Raises: BadExec."""
    words: list[str] = []
    at, is_inside = 0, False
    while at < len(text):
        part = _PART.match(text, at)
        if part is not None:
            words[len(words) - is_inside :] = [(words[-1] if is_inside else "") + _unquoted(part)]
            at, is_inside = part.end(), True
        elif text[at].isspace():
            at, is_inside = at + 1, False
        else:
            raise BadExec("a quote is not closed")
    return tuple(words)


def _unquoted(part: re.Match[str]) -> str:
    """Unescape a quoted part, an escaped character, or any other text."""
    quoted, escaped = part["quoted"], part["escaped"]
    return _QUOTED_ESCAPE.sub(r"\1", quoted) if quoted is not None else escaped or part[0]


@dataclass(frozen=True, slots=True)
class _Command:
    """Command of an `Exec` line; `is_alone`: its program gets no arguments but files. `has_file_code`: a field code
    passes files.
    """

    argv: tuple[str, ...] = ()
    argv_with_file: tuple[str, ...] = ()
    is_alone: bool = False
    has_file_code: bool = False


def _command(keys: Mapping[str, str], path: Path, title: str, folders: Folders) -> _Command:
    """Raises: BadExec."""
    texts = {"%": "%", "c": title, "k": str(path), **dict.fromkeys(_DROPPED_CODES, "")}
    icon = unescaped(keys.get("Icon", ""))
    alone: list[str] = []
    with_file: list[str] = []
    for word in split_exec(unescaped(keys.get("Exec", ""))):
        if word == "%i":
            alone += ["--icon", icon] if icon else []
            with_file += ["--icon", icon] if icon else []
            continue
        for words, file in ((alone, ""), (with_file, "{file}")):
            filled = _filled(word, {**texts, **dict.fromkeys(_FILE_CODES, file)})
            words.extend([filled] if filled or not word else [])
    if not alone:
        return _Command()
    has_code = any("{file}" in word for word in with_file)
    if not has_code:
        with_file.append("{file}")  # as file managers do where no field code passes files
    program = _by_name(alone, folders)
    rest = len(program)
    is_alone = len(without_env(alone)) == 1
    return _Command((*program, *alone[rest:]), (*program, *with_file[rest:]), is_alone, has_code)


def _filled(word: str, texts: Mapping[str, str]) -> str:
    """A word with its field codes replaced. Raises: BadExec."""

    def text_of(code: re.Match[str]) -> str:
        if code[1] not in texts:
            raise BadExec(f"there is no field code %{code[1]}")
        return texts[code[1]]

    return re.sub(r"%(.?)", text_of, word)


def _by_name(words: Sequence[str], folders: Folders) -> list[str]:
    """The words up to the program, which is called by its name where that leads to the same file as its path.

    A private desktop has its own starters of some programs first on PATH; an absolute path would go around them.
    """
    rest = without_env(words)
    program, before = next(iter(rest), ""), list(words[: len(words) - len(rest)])
    if not program.startswith("/"):
        return [*before, program] if program else before
    path = without_wrappers({"PATH": folders.path})["PATH"]
    found = shutil.which(Path(program).name, path=path)
    is_same = found is not None and os.path.realpath(found) == os.path.realpath(program)
    return [*before, Path(program).name if is_same else program]
