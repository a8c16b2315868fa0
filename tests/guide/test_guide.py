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
    """A program with the output that follows it, and the files of all pages: one with a title is no program."""

    name: str
    code: str
    output: str
    files: tuple[tuple[str, str], ...]


def examples() -> list[Example]:
    found: list[Example] = []
    pages = {page: list(_BLOCK.finditer(page.read_text())) for page in sorted(GUIDE.glob("*.md"))}
    files = tuple((block["title"], block["text"]) for blocks in pages.values() for block in blocks if block["title"])
    for page, blocks in pages.items():
        for block, following in zip_longest(blocks, blocks[1:]):
            if block["kind"] == "python" and not block["title"]:
                output = following["text"] if following and following["kind"] == "text" else ""
                found.append(Example(f"{page.stem}-{len(found) + 1}", block["text"], output, files))
    return found


@pytest.mark.desktop
@pytest.mark.requires("python.guide")
@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_prints_what_the_page_shows(example: Example, tmp_path: Path) -> None:
    for name, text in example.files:
        (tmp_path / name).write_text(text)
    (tmp_path / "example.py").write_text(example.code)
    environment = {**os.environ, "HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.returncode) == (example.output, 0), done.stderr
    assert example.output, "each example shows its output"


@pytest.mark.full("80 s; the examples themselves are run")
@pytest.mark.requires("python.guide")
def test_every_example_has_right_types_by_the_strictest_rules(tmp_path: Path) -> None:
    for example in examples():
        (tmp_path / f"example_{example.name}.py").write_text(example.code)
        for name, text in example.files:
            (tmp_path / name).write_text(text)
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
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (GUIDE / "README.md").read_text()))
    assert listed == {page.name for page in GUIDE.glob("*.md")} - {"README.md"}
    for page in GUIDE.glob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
