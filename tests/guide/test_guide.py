"""The examples of docs/guide run as they are printed there, and print what is printed below them."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from support import ROOT

GUIDE = ROOT / "docs" / "guide"
_BLOCK = re.compile(r"^```(?P<kind>\w*)(?: title=(?P<title>\S+))?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A program with the output that follows it, and the files that the page has."""

    name: str
    code: str
    output: str
    files: tuple[tuple[str, str], ...]


def examples() -> list[Example]:
    found: list[Example] = []
    for page in sorted(GUIDE.glob("*.md")):
        blocks = list(_BLOCK.finditer(page.read_text()))
        files = tuple((block["title"], block["text"]) for block in blocks if block["title"])
        for block, following in zip_longest(blocks, blocks[1:]):
            if block["kind"] == "python":
                output = following["text"] if following and following["kind"] == "text" else ""
                found.append(Example(f"{page.stem}-{len(found) + 1}", block["text"], output, files))
    return found


@pytest.mark.desktop
@pytest.mark.requires("python.guide")
@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_prints_what_the_page_shows(example: Example, tmp_path: Path) -> None:
    for name, text in example.files:
        (tmp_path / name).write_text(text)
    environment = {**os.environ, "HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", example.code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.returncode) == (example.output, 0), done.stderr
    assert example.output, "each example shows its output"


@pytest.mark.requires("python.guide")
def test_every_example_has_right_types_by_the_strictest_rules(tmp_path: Path) -> None:
    for example in examples():
        folder = tmp_path / example.name
        folder.mkdir()
        (folder / "example.py").write_text(example.code)
        for name, text in example.files:
            (folder / name).write_text(text)
    settings = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "extraPaths": [str(ROOT / "src")],
        "venvPath": str(Path(sys.prefix).parent),
        "venv": Path(sys.prefix).name,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    checker = Path(sys.prefix) / "bin" / "basedpyright"
    done = subprocess.run(
        [checker, "--warnings"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "0 errors, 0 warnings, 0 notes"


@pytest.mark.requires("python.guide")
def test_the_first_page_lists_all_others_and_every_link_leads_somewhere() -> None:
    listed = set(re.findall(r"\]\((\w+\.md)\)", (GUIDE / "README.md").read_text()))
    assert listed == {page.name for page in GUIDE.glob("*.md")} - {"README.md"}
    for page in GUIDE.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
