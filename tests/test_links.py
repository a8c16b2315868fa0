"""Links between the pages of the repository lead to files, and headings, that exist."""

import re
from pathlib import Path

import pytest

from support import ROOT

LINK = re.compile(r"\](?:\(|: )(?!https?://|#)([^)#\s]+)(?:#[^)]*)?(?:\)|$)", re.MULTILINE)
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")]


HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ANCHOR = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The ids that headings get: words of letters and digits, joined by hyphens."""
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.requires("build.links")
def test_every_link_of_a_page_leads_to_a_file_of_the_repository() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages()
        for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not (page.parent / target).exists()
    ]
    assert broken == []


@pytest.mark.requires("build.links")
def test_every_anchor_of_a_link_is_a_heading_of_its_page() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}#{anchor}"
        for page in pages()
        for target, anchor in ANCHOR.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not target.startswith("http") and anchor not in anchors(page.parent / target if target else page)
    ]
    assert broken == []


def test_the_index_of_decisions_has_each_record_under_its_own_title() -> None:
    folder = ROOT / "docs/decisions"
    listed = dict(re.findall(r"^\| \[\d{4}\]\((\S+)\) \| (.+) \|$", (folder / "README.md").read_text(), re.MULTILINE))
    titles = {page.name: page.read_text().partition("\n")[0].partition(": ")[2] for page in folder.glob("0*.md")}
    assert listed == titles
