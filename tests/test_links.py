"""Links between the pages of the repository lead to files that exist."""

import re
from pathlib import Path

import pytest

from support import ROOT

LINK = re.compile(r"\](?:\(|: )(?!https?://|#)([^)#\s]+)(?:#[^)]*)?(?:\)|$)", re.MULTILINE)
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")]


@pytest.mark.requires("build.links")
def test_every_link_of_a_page_leads_to_a_file_of_the_repository() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages()
        for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_index_of_decisions_has_each_record_under_its_own_title() -> None:
    folder = ROOT / "docs/decisions"
    listed = dict(re.findall(r"^\| \[\d{4}\]\((\S+)\) \| (.+) \|$", (folder / "README.md").read_text(), re.MULTILINE))
    titles = {page.name: page.read_text().partition("\n")[0].partition(": ")[2] for page in folder.glob("0*.md")}
    assert listed == titles
