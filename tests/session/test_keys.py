"""Where the keys of a provider do not stand (contract 4.7)."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.errors import ModelUnavailable
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import EventSink
from deskhand.desktop.freedesktop.command_line import without_wrappers
from deskhand.desktop.linux.runtime.home import Folders, desktop_environment
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.models.language import LanguageModel, ModelName
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.session.build import SessionPlan, run_session
from models.language.asked import KEY
from notes import Notes
from stage import Events
from wire.server import Answer, Fail, Json, Say, wire

ECHO = json.dumps({"error": {"message": f"wrong key {KEY} in authorization: Bearer {KEY}", "type": KEY}})


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Answers come over a socket, which takes time that passes."""
    return "asyncio"


@asynccontextmanager
async def notes_desktop(_choice: str, _session: str, _folder: Path) -> AsyncGenerator[Desktop]:
    yield Notes().desktop


def plan(folder: Path, address: str, *listeners: EventSink) -> SessionPlan:
    model = LanguageModel(ModelName.parse("openai:gpt-4o"), {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": address})
    return SessionPlan("s1", folder, ("Save my notes",), model, opens=notes_desktop, listeners=listeners)


def no_key_in(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name.startswith("journal.sqlite") for path in files)
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.requires("model.keys-nowhere")
async def test_a_server_that_sends_the_key_back_in_everything_does_not_get_it_written_down(tmp_path: Path) -> None:
    said = 0

    def answer(body: Json) -> Answer:
        nonlocal said
        said += 1
        if said == 1:
            return Say(f"I was asked with {KEY}")
        if said == 2:
            return Fail(429, ECHO, {"retry-after": "0", "x-key": KEY})
        if said < 5:
            label = re.search(r'(\d+) button "Save"', json.dumps(body).replace('\\"', '"'))
            reply = {"thought": KEY, "comment": KEY, "plan": [KEY]}
            if label:
                reply |= {"status": "FINISH", "function": "invoke", "control_label": label[1], "result": KEY}
            else:
                reply |= {"status": "ASSIGN", "control_label": "1", "current_subtask": f"Save it, {KEY}"}
            return Say(json.dumps(reply))
        return Fail(401, ECHO)

    events = Events()
    with wire(script=answer) as server:
        ending = await run_session(plan(tmp_path, server.openai, events))
    assert all(KEY in heard.headers["authorization"] for heard in server.heard)
    assert len(server.heard) == 5
    assert ending.outcome is Outcome.ERROR
    assert KEY not in str(ending)
    render_report(tmp_path, tmp_path / "report.html")
    (tmp_path / "report.md").write_text(render_markdown(tmp_path))
    (tmp_path / "out.json").write_text(json.dumps(summarise(tmp_path).to_json()))
    no_key_in(tmp_path)
    assert KEY not in "".join(event.model_dump_json() for event in events.all)
    assert "•••" in (tmp_path / "report.md").read_text()


@pytest.mark.requires("model.keys-nowhere")
def test_no_program_on_a_desktop_is_given_the_keys_of_the_one_that_started_it(tmp_path: Path) -> None:
    keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "AWS_SECRET_ACCESS_KEY"), KEY)
    caller = without_wrappers({"PATH": "/usr/bin", **keys, "DESKHAND_MODELS__SECRETS": KEY})
    environment = desktop_environment(Folders(tmp_path / "d", tmp_path / "r"), "mark", caller)
    assert KEY not in str(environment)
    assert not any(name in environment for name in keys)


@pytest.mark.requires("model.keys-nowhere")
def test_a_model_and_its_errors_do_not_show_the_key() -> None:
    model = LanguageModel(ModelName.parse("openai:x"), {"OPENAI_API_KEY": KEY})
    assert KEY not in repr(model) + str(ModelUnavailable(f"{model}"))
