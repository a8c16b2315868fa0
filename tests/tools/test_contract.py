"""Every section of docs/design/contract.md that is cited somewhere is a heading of that page."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CITED = re.compile(r"\bcontract ((?:\d\.\d|\d)(?:, (?:\d\.\d|\d))*(?: and (?:\d\.\d|\d))?)", re.IGNORECASE)
HEADING = re.compile(r"^#+ (\d\.\d|\d) ", re.MULTILINE)
WRITTEN = {".py", ".md", ".toml", ".yaml", ".csv"}


def cited_sections() -> Iterator[tuple[str, str]]:
    """Path and section of each citation."""
    for folder in ("src", "tests", "tools", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in WRITTEN:
                for cited in CITED.findall(path.read_text(encoding="utf-8")):
                    yield from ((path.relative_to(ROOT).as_posix(), number) for number in re.findall(r"[\d.]+", cited))


@pytest.mark.requires("build.contract")
def test_every_cited_section_is_a_heading_of_the_contract() -> None:
    headings = set(HEADING.findall((ROOT / "docs/design/contract.md").read_text(encoding="utf-8")))
    cited = sorted(set(cited_sections()))
    assert {number for _, number in cited} >= {"2.2", "3.2", "4.3", "6", "7"}
    assert [(path, number) for path, number in cited if number not in headings] == []
