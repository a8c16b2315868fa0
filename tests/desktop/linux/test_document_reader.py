"""What is read of a text document beside what shows of it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.desktop.base import Application, Observation
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.desktop

PARAGRAPHS = 14_000
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document office:version="1.2" '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
)


def _document(paragraphs: Sequence[str]) -> str:
    body = "".join(f"<text:p>{text}</text:p>" for text in paragraphs)
    return f"{HEAD}{body}</office:text></office:body></office:document>"


def _first_paragraphs(seen: Observation) -> list[str]:
    values = (control.value for control in seen.controls)
    return [value.split(" with")[0] for value in values if value.startswith("Paragraph")][:2]


@pytest.mark.requires("observe.other-pages")
async def test_of_five_hundred_pages_the_first_is_seen_and_pictured_without_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "long.fodt"
    words = "with words that take a line of the page and go on to the next one where they stop"
    file.write_text(_document([f"Paragraph {number} {words}" for number in range(PARAGRAPHS)]), encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        argv = ("soffice", "--writer", "{file}")
        window = await desktop.launch(Application("writer", argv, argv, "^long"), file, deadline_s=60)
        await desktop.settle(window, quiet_s=0.3, deadline_s=10.0)
        async with asyncio.timeout(30):
            # Writer lays the text out while it is looked at, and a view may show one paragraph until it has done so
            while _first_paragraphs(seen := await desktop.observe(window)) != ["Paragraph 0", "Paragraph 1"]:
                await desktop.settle(window, quiet_s=0.3, deadline_s=2.0)
        assert seen.truncated is not None
        assert "tables" in seen.truncated.reason
        assert seen.picture is not None
        assert seen.picture.unchecked == ()
