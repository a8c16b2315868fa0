"""A text that is read and written back leaves the file as it was. The file is the judge."""

import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.json import JsonValue
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.serve.desktop_tools import Desk
from deskhand.session.interactors import AutoInteractor
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.desktop

SAVED_S = 20.0
FILES = {
    "gedit": b" two  blanks\ta tab, \xc2\xa0no-break\r\n\r\n  trailing \t \r\n\tlast  \r\n",
    "mousepad": b" two  blanks\ta tab, \xc2\xa0no-break\r\n\r\n  trailing \t \r\n\tno line end  ",
}


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(tmp_path_factory.mktemp("texts")) as desktop:
        yield desktop


def after(text: str, mark: str) -> JsonValue:
    """The JSON that follows a mark."""
    return json.JSONDecoder().raw_decode(text, text.index(mark) + len(mark))[0]


@pytest.mark.requires("observe.exact")
@pytest.mark.parametrize("editor", FILES)
async def test_a_text_that_is_read_and_written_back_is_saved_byte_for_byte(
    desktop: LinuxDesktop, tmp_path: Path, editor: str
) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(FILES[editor])
    window = await desktop.launch(Application(editor, (editor,), (editor, "{file}"), ""), file)
    desk = Desk(desktop, Configuration(), AutoInteractor())
    seen = (await desk.call("observe_window", {"window": window.handle})).text
    field = next(line for line in seen.split("\n") if "textbox" in line and "two  blanks" in line)
    label = field.split()[0]
    told = after((await desk.call("texts", {"id": label})).text, "the screen\n")
    assert isinstance(told, dict)
    assert after(field, " = ") == told["text"]
    assert not re.search(r"[^\S ]", field), "nothing that is not seen"

    async def saves(text: JsonValue, content: bytes) -> None:
        await desk.call("set_edit_text", {"id": label, "text": text})
        await desktop.activate(window)
        await desktop.press([Chord("s", ("ctrl",))])

        async def is_saved() -> bool | None:
            return True if file.read_bytes() == content else None

        assert await desktop.wait_until(is_saved, deadline_s=SAVED_S), file.read_bytes()

    end = "\r\n" if "\r" in str(told["text"]) else "\n"
    await saves(f"other{end}text", b"other\r\ntext\r\n" if editor == "gedit" else b"other\r\ntext")
    await saves(told["text"], FILES[editor])
