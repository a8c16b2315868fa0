"""The pages of the API reference: the names of `deskhand` and `deskhand.sync`, and what the guide imports and names."""

import ast
import inspect
import re
import shutil
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Final

import deskhand
from tools.site_pages import ROOT, Entry

GUIDE: Final = ROOT / "docs" / "guide"
_SYNC: Final = "deskhand.sync"
_TITLES: Final = {
    "scripting": "Desktops",
    "session": "Requests",
    "commands": "Tools",
    "agents": "Agents",
    "pipeline": "Strategies",
    "states": "States",
    "memory": "Memory",
    "desktop": "Toolkits and backends",
    "models": "Models",
    "config": "Settings",
    "core": "Commands, results, statuses",
}
_PYTHON: Final = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_MODULE: Final = re.compile(r"`(deskhand(?:\.\w+)+)`")
_RULE: Final = re.compile(r"^( +)(Raises: |`\w+`: )", re.MULTILINE)


def reference() -> dict[str, Entry]:
    """Return title and text of each page by its path. The first lists all names."""
    modules = [_SYNC, *sorted(named_modules())]
    whole = {id(_found(path)): path for module in modules for path in _members(module)}
    places = {path: path for path in named_objects()}
    elsewhere = {path: whole.get(id(_found(path)), _in_module(path)) for path in places}
    elsewhere = {path: place for path, place in elsewhere.items() if place in whole.values() or _home(path) in modules}
    names = [path for path in places if path not in elsewhere]
    places |= elsewhere
    pages: dict[str, Entry] = {}
    for room in dict.fromkeys([*_TITLES, *map(_room, names)]):
        if inside := [path for path in names if _room(path) == room]:
            title = _TITLES.get(room, room.capitalize())
            pages[f"api/{room}.md"] = (title, _page(title, sorted(inside, key=_rank)))
    for module in modules:
        text = f"# {module}\n\n::: {module}\n    options:\n      show_root_heading: false\n"
        text = _page(module, sorted(members, key=_rank)) if (members := _members(module)) else text
        pages[f"api/{module.removeprefix('deskhand.')}.md"] = (module, text)
    return {"api/index.md": ("All names", _index(places, pages)), **pages}


def named_objects() -> list[str]:
    """Return the names of `deskhand`, and what the guide imports from elsewhere, as paths to import from."""
    public = {id(getattr(deskhand, name)): f"deskhand.{name}" for name in deskhand.__all__}
    for page in sorted(GUIDE.glob("*.md")):
        for code in _PYTHON.findall(page.read_text()):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deskhand."):
                    for each in node.names:
                        path = f"{node.module}.{each.name}"
                        public.setdefault(id(_found(path)), path)
    return list(public.values())


def named_modules() -> set[str]:
    """Return the modules that the guide names as a whole, without packages of modules alone."""
    found = {name for page in GUIDE.glob("*.md") for name in _MODULE.findall(page.read_text())}
    return {name for name in found if name != _SYNC and inspect.ismodule(_found(name)) and _has_names(name)}


def _has_names(module: str) -> bool:
    return bool(_members(module)) or not hasattr(_found(module), "__path__")


def first_sentence(path: str) -> str:
    """Return the first sentence of its own docstring."""
    found = _found(path)
    if inspect.isroutine(found):
        text = found.__doc__
    else:
        text = vars(found).get("__doc__") if inspect.isclass(found) else _text_below(path)
    paragraph = " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z])", paragraph)[0]


def _text_below(path: str) -> str:
    """Return the text below the assignment of a type alias."""
    body = ast.parse(inspect.getsource(import_module(_home(path)))).body
    name = path.rpartition(".")[2]
    for node, below in pairwise(body):
        is_it = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name
        if is_it and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return str(below.value.value)
    return ""


def write_sources(folder: Path) -> None:
    """Copy the package for the reference, with a paragraph of its own for each rule of a docstring."""
    shutil.copytree(ROOT / "src" / "deskhand", folder / "deskhand", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / "deskhand").rglob("*.py"):
        path.write_text(_RULE.sub(r"\n\1\2", path.read_text()))


def _members(module: str) -> list[str]:
    """Return what a module exports by name; of one that defines what it has, nothing."""
    return [f"{module}.{name}" for name in getattr(_found(module), "__all__", ())]


def _rank(path: str) -> int:
    """Put functions before classes, and these before errors."""
    found = _found(path)
    return int(inspect.isclass(found)) + int(inspect.isclass(found) and issubclass(found, Exception))


def _page(title: str, paths: list[str]) -> str:
    return "\n\n".join([f"# {title}", *(f"::: {path}" for path in paths)]) + "\n"


def _index(places: dict[str, str], pages: dict[str, Entry]) -> str:
    """`places`: names, each with the one under which a page has it."""
    sentences = {path: first_sentence(path).replace("|", "\\|") for path in places}
    rows = [f"| [`{path}`][{places[path]}] | {sentence} |" for path, sentence in sentences.items()]
    modules = [f"- [`{title}`]({path.removeprefix('api/')})" for path, (title, _) in pages.items() if "." in title]
    table = ["| name | what it is |", "|---|---|", *rows]
    return "\n".join(["# Public names of Python", "", *table, "", "Modules:", "", *modules]) + "\n"


def _in_module(path: str) -> str:
    return f"{_home(path)}.{path.rpartition('.')[2]}"


def _found(path: str) -> object:
    """Return the module of this name, or what a module has under it; None for another name, such as a span's."""
    try:
        return import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(_found(module), name, None) if module else None


def _home(path: str) -> str:
    """Return the module that defines it; type aliases are of the one that they are imported from."""
    module = str(getattr(_found(path), "__module__", ""))
    if module.startswith("deskhand."):
        return module
    package, _, name = path.rpartition(".")
    return str(vars(deskhand)["_HOMES"][name]) if package == "deskhand" else package


def _room(path: str) -> str:
    """Return the package of `deskhand` that it is from."""
    return _home(path).removeprefix("deskhand.").partition(".")[0]
