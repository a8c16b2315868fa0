"""What is read of a text document beside what shows of it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.desktop.base import Application
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


@pytest.mark.requires("observe.other-pages")
async def test_of_five_hundred_pages_the_first_is_seen_and_pictured_without_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "long.fodt"
    words = "with words that take a line of the page and go on to the next one where they stop"
    file.write_text(_document([f"Paragraph {number} {words}" for number in range(PARAGRAPHS)]), encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        argv = ("soffice", "--writer", "{file}")
        window = await desktop.launch(Application("writer", argv, argv, "^long"), file, deadline_s=60)
        await desktop.settle(window, quiet_s=0.3, deadline_s=10.0)
        seen = await desktop.observe(window)
        assert [c.value.split(" with")[0] for c in seen.controls if c.value.startswith("Paragraph")][:2] == [
            "Paragraph 0",
            "Paragraph 1",
        ]
        assert seen.truncated is not None
        assert "tables" in seen.truncated.reason
        assert seen.picture is not None
        assert seen.picture.unchecked == ()
