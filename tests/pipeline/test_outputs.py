"""What a tool read reaches a model, a person and a program character for character, and what is cut says so."""

import json
import re
from pathlib import Path

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.command import Result, ResultStatus
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelRequest
from deskhand.core.text import size
from deskhand.models.scripted import ScriptedReply
from deskhand.pipeline.actions import ActionCommandInfo, look_up
from deskhand.pipeline.outputs import MAX_OUTPUT, output_line
from deskhand.serve.desktop_tools import Desk
from deskhand.session.interactors import AutoInteractor
from notes import APP, Notes, prompt_of
from stage import assign, say, stage

EXACT = " two  blanks\ta tab, \u00a0no-break \u3000 wide\r\n\r\n>>> print(1) <<<<\n\ttrailing \t \n"


def after(text: str, mark: str) -> JsonValue:
    """The JSON that follows a mark."""
    return json.JSONDecoder().raw_decode(text, text.index(mark) + len(mark))[0]


@pytest.mark.requires("observe.exact")
async def test_a_model_that_writes_back_what_its_prompt_shows_changes_nothing(tmp_path: Path) -> None:
    notes = Notes()
    notes.text.value = EXACT
    shown: list[JsonValue] = []

    def write_back(request: ModelRequest) -> ScriptedReply:
        prompt = prompt_of(request)
        shown.extend([after(prompt, "done, saved as kept → "), after(prompt, 'textbox "Text" = ')])
        given = shown[0]
        assert isinstance(given, dict)
        notes.text.value = "lost\r\n"
        return say("CONTINUE", "set_edit_text", "Text", args={"text": given["text"]})(request)

    app = [say("CONTINUE", "texts", "Text", save_as="kept"), write_back, say("FINISH")]
    it = stage(notes.desktop, {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: app}, log_path=tmp_path)
    await it.run()
    assert shown == [{"text": EXACT}, EXACT]
    assert notes.text.value == EXACT
    assert after(prompt_of(it.model.requests[3]), 'set_edit_text(textbox "Text" [1], text=') == EXACT


@pytest.mark.requires("observe.exact")
async def test_a_program_over_mcp_is_told_it_likewise() -> None:
    notes = Notes()
    notes.text.value = EXACT
    desk = Desk(notes.desktop, Configuration(), AutoInteractor())
    seen = await desk.call("observe_window", {})
    label = next(iter(re.findall(r'(\d+) textbox "Text"', seen.text)))
    told = (await desk.call("texts", {"id": label})).text
    assert after(told, "the screen\n") == {"text": EXACT}
    notes.text.value = "é" * 300_000
    told = (await desk.call("texts", {"id": label})).text
    part = after(told, "the screen\n")
    assert isinstance(part, dict)
    count = len(str(part["text"]))
    assert told.endswith(
        f"(cut: {count} of its 300000 characters; texts with start={count} gives what follows)\nUNTRUSTED>>>"
    )
    assert after((await desk.call("texts", {"id": label, "start": 299_999})).text, "the screen\n") == {
        "text": "é",
        "start": 299_999,
    }
    assert "none of which follows the first 300001" in (await desk.call("texts", {"id": label, "start": 300_001})).text


@pytest.mark.requires("observe.exact")
def test_a_long_text_is_read_in_parts_that_make_the_whole() -> None:
    text = EXACT * 400
    parts, start = "", 0
    while True:
        line = output_line("texts", {"text": text[start:], **({"start": start} if start else {})})
        assert size(line) <= MAX_OUTPUT
        part = after(line, "")
        assert isinstance(part, dict)
        parts += str(part["text"])
        more = re.search(r"\(cut: \d+ of its (\d+) characters; texts with start=(\d+) gives what follows", line)
        if more is None:
            break
        assert int(more[1]) == len(text) - start
        start = int(more[2])
    assert parts == text


@pytest.mark.requires("observe.exact")
def test_a_long_table_is_cut_between_rows_and_other_data_says_how_much_is_missing() -> None:
    rows: list[JsonValue] = [[f"r{row} ", "x" * 90] for row in range(300)]
    line = output_line("read_table", {"rows": 300, "columns": 2, "range": "A1:B300", "cells": rows})
    told = after(line, "")
    assert isinstance(told, dict)
    cells = told["cells"]
    assert isinstance(cells, list)
    assert cells == rows[: len(cells)]
    assert line.endswith(
        f"(cut: {len(cells)} of its 300 rows; read_table with range gives others; save_as saves all of it)"
    )
    whole = json.dumps(["x" * 9000])
    assert re.fullmatch(
        rf'\["x+… \(cut: \d+ of {len(whole)} characters of JSON; save_as saves all of it\)',
        output_line("x", ["x" * 9000]),
    )


@pytest.mark.requires("observe.exact")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"cell": "a\\tb", "path": "C:\\\\x"}', '{"server": "s", "text": {"cell": "a\\tb", "path": "C:\\\\x"}}'),
        ('[1, "\\u00a0"]', '{"server": "s", "text": [1, "\\u00a0"]}'),
        ("{no JSON\n", '{"server": "s", "text": "{no JSON\\n"}'),
        ("12", '{"server": "s", "text": "12"}'),
    ],
)
def test_the_json_of_another_server_is_escaped_once_and_its_parts_can_be_passed_on(text: str, shown: str) -> None:
    given: JsonObject = {"server": "s", "text": text}
    result = Result(ResultStatus.SUCCESS, "c1", given, namespace="s")
    assert ActionCommandInfo("lookup", {}, None, result).to_record().output == shown
    assert look_up("found.text", {"found": given}) == text
    if text.startswith('{"'):
        assert look_up("found.text.cell", {"found": given}) == "a\tb"
