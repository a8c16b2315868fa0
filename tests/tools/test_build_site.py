"""The site has all pages of docs/, each public name, and nothing of other hosts."""

import os
import re
from pathlib import Path

import pytest

import deskhand
from tools.build_site import loaded_from_elsewhere
from tools.site_api import first_sentence, named_objects, reference
from tools.site_pages import DOCS, LINK, ROOT, Pages, navigation, place


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """The pages of the site; its pictures are empty."""
    pages = Pages(draw=lambda diagram: f"<svg>{diagram}</svg>")
    pages.add_all()
    return {path: content.decode() if path.endswith(".md") else "" for path, content in pages.files.items()}


def shown() -> list[str]:
    return [path for _, pages in navigation([]) for _, path in pages]


@pytest.mark.requires("build.site")
def test_every_page_of_the_documentation_is_in_the_navigation_but_single_decisions(files: dict[str, str]) -> None:
    pages = {place(page) for page in DOCS.rglob("*.md") if not page.name[:4].isdigit()}
    assert set(shown()) == pages - {"contents.md"} | {"index.md", "CONTRIBUTING.md", "CHANGELOG.md"}
    assert set(shown()) <= files.keys()


@pytest.mark.requires("build.site")
def test_the_pages_of_the_guide_come_in_the_order_of_its_first_page() -> None:
    listed = re.findall(r"^\d+\. \[.*?\]\((\S+?)\)", (DOCS / "guide" / "README.md").read_text(), re.MULTILINE)
    assert [path for path in shown() if path.startswith("guide/")] == [
        "guide/README.md",
        *(f"guide/{p}" for p in listed),
    ]


@pytest.mark.requires("build.site")
def test_every_link_of_a_page_leads_to_a_page_or_picture_of_the_site(files: dict[str, str]) -> None:
    broken = [
        f"{path}: {target}"
        for path, text in files.items()
        if not path.startswith("source/")
        for _, target, _ in LINK.findall(re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE))
        if os.path.normpath(Path(path).parent / target) not in files
    ]
    assert broken == []


def test_a_diagram_becomes_a_picture_and_a_file_gets_its_title(files: dict[str, str]) -> None:
    assert "![Diagram](diagrams/" in files["states.md"]
    assert "mermaid" not in files["states.md"]
    assert 'title="greet.yaml"' in files["guide/requests.md"]


def test_a_list_right_after_text_is_put_apart(files: dict[str, str]) -> None:
    text = files["decisions/0039-text-by-accessibility-paste-or-keys.md"]
    assert re.search(r"\n\n- Swing's bridge", text)


def test_code_that_a_page_links_to_is_a_page(files: dict[str, str]) -> None:
    assert (ROOT / "tests" / "desktop" / "test_conformance.py").read_text() in files[
        "source/tests/desktop/test_conformance.py.md"
    ]


@pytest.mark.requires("build.site")
def test_the_reference_has_every_public_name_with_a_sentence() -> None:
    paths = named_objects()
    assert {f"deskhand.{name}" for name in deskhand.__all__} <= set(paths)
    assert [name for name in deskhand.__all__ if not first_sentence(f"deskhand.{name}")] == []
    pages = {path: text for path, (_, text) in reference().items()}
    text = "\n".join(pages.values())
    for name in deskhand.__all__:
        place = re.search(rf"\[`deskhand\.{name}`\]\[(.+?)\]", pages["api/index.md"])
        assert place, name
        assert f"::: {place[1]}\n" in text or f"::: {place[1].rpartition('.')[0]}\n" in text, place[1]


@pytest.mark.requires("build.site")
def test_what_a_page_loads_from_elsewhere_is_found_and_a_link_is_none(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<a href="https://a.example/"></a><link rel=stylesheet href="https://b.example/x.css"><script src=//c.example>'
        '</script><img src="images/result.png">'
    )
    assert loaded_from_elsewhere(tmp_path) == ["page.html: //c.example", "page.html: https://b.example/x.css"]
