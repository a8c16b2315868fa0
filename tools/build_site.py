"""Builds the web site of docs/, with an API reference from the docstrings, into site/.

    python -m tools.build_site

The order of its pages is that of the lists in docs/README.md and docs/guide/README.md. A broken link or anchor, and
what would be loaded from another host, is an error. zensical and mmdr are in .venv-site (tools/bootstrap.py).
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.site_api import reference, write_sources
from tools.site_pages import ROOT, Entry, Pages, navigation

FILES: Final = ROOT / "tools" / "site"
RESULT: Final = ROOT / "site"
_PROGRAMS: Final = ROOT / ".venv-site" / "bin"
_LOADED: Final = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\s\"'>]+)")
_COLOUR: Final = re.compile(r"\x1b\[[\d;]*m")


class Broken(Exception):
    """The site could not be built."""


def main() -> int:
    with TemporaryDirectory(prefix="deskhand-site-") as folder:
        try:
            built = build(Path(folder))
        except Broken as error:
            print(error, file=sys.stderr)
            return 1
        shutil.rmtree(RESULT, ignore_errors=True)
        shutil.copytree(built, RESULT)
    print(f"{len(list(RESULT.rglob('*.html')))} pages: {RESULT.relative_to(ROOT)}/index.html")
    return 0


def build(project: Path) -> Path:
    """Build the site in an empty folder, and return where in it. Raises: Broken."""
    pages = Pages(draw=lambda diagram: _run("mmdr", "-o", "-", "-e", "svg", given=diagram))
    pages.add_all()
    api = reference()
    pages.files.update({path: text.encode() for path, (_, text) in api.items()})
    for path, content in pages.files.items():
        (project / "docs" / path).parent.mkdir(parents=True, exist_ok=True)
        (project / "docs" / path).write_bytes(content)
    shutil.copy(FILES / "deskhand.css", project / "docs")
    nav = _toml(navigation([(title, path) for path, (title, _) in api.items()]))
    configuration = (FILES / "zensical.toml").read_text().replace("nav = []", f"nav = {nav}")
    (project / "zensical.toml").write_text(configuration)
    write_sources(project / "source")
    print(_run("zensical", "build", "--strict", cwd=project), end="")
    if loaded := loaded_from_elsewhere(project / "site"):
        raise Broken("these would be loaded from other hosts:\n" + "\n".join(loaded))
    return project / "site"


def loaded_from_elsewhere(site: Path) -> list[str]:
    """Return what the built pages load from other hosts, each with its page."""
    return sorted(
        f"{page.relative_to(site)}: {address}"
        for page in site.rglob("*.html")
        for address in _LOADED.findall(page.read_text())
    )


def _toml(sections: Iterable[tuple[str, Sequence[Entry]]]) -> str:
    items: list[str] = []
    for section, pages in sections:
        entries = [f"{{ {json.dumps(title)} = {json.dumps(path)} }}" for title, path in pages]
        items += [f"{{ {json.dumps(section)} = [{', '.join(entries)}] }}"] if section else entries
    return f"[{', '.join(items)}]"


def _run(program: str, *arguments: str, given: str = "", cwd: Path = ROOT) -> str:
    done = subprocess.run(
        (str(_PROGRAMS / program), *arguments),
        cwd=cwd,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        # zensical raises after its own messages, which are in colour.
        said = _COLOUR.sub("", done.stdout + done.stderr.partition("Traceback ")[0])
        raise Broken(f"{program}: {said}" if said.strip() else f"{program}: {done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
