"""Whole tasks decided by another process that sees nothing but the requests of a model (contract 4.7).

The judge is the saved file, or what the application itself says of its controls.
"""

import json
import os
from pathlib import Path
from typing import Final

import pytest

from cli.driver import Finished, finish, start
from demo.running import assert_chart, cells_by_another_program, playing
from desktop.linux.toolkits import Truth
from documents import Table, Text, write_odt
from support import ROOT

pytestmark = pytest.mark.desktop

READER: Final = ROOT / "tests/apps/reading_model.py"
SALES: Final = [["Region", "Q1", "Q2"], ["North", "120", "150"], ["South", "80", "95"], ["East", "200", "170"]]


def run(env: dict[str, str], *arguments: object) -> Finished:
    return finish(start("run", *arguments, "--model", "openai:reader", "--json", env=env))


@pytest.mark.full("a minute and a half; a form is filled in over the wire, and the demo runs by its playbook")
@pytest.mark.requires("model.proof", "model.held")
def test_the_demos_task_is_carried_out_by_a_model_over_the_wire(tmp_path: Path) -> None:
    document, output = tmp_path / "report.odt", tmp_path / "sales.ods"
    write_odt(document, Text("Before"), Table(SALES), Text("After"))
    task = f"Extract the sales table from the Writer document and create a bar chart in Calc, save it as {output}"
    with playing(tmp_path, READER) as env:
        done = run(env, task, "--file", document, "--out", tmp_path / "out")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert done.item("outputs") == [str(output)]
    assert cells_by_another_program(output, tmp_path) == SALES
    assert_chart(output, 4, 3)
    calls, steps = done.item("model_calls"), done.item("steps")
    assert isinstance(calls, int)
    assert calls == steps
    assert calls <= 16
    tokens = done.item("tokens", "input")
    assert isinstance(tokens, int)
    assert tokens < 5000 * calls


@pytest.mark.requires("model.proof", "model.held", "model.keys-nowhere")
def test_a_form_of_another_application_is_filled_in_by_one_that_answers_with_lists_of_actions(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    program = [os.fspath(ROOT / "tests/apps/oracle_gtk3.py"), str(state)]
    config = tmp_path / "config.yaml"
    began_with = tmp_path / "environment"
    argv = ["/bin/sh", "-c", 'env > "$0"; exec /usr/bin/python3 "$@"', str(began_with), *program]
    config.write_text(json.dumps({"applications": {"form": {"argv": argv, "window": "^Fixture$"}}}))
    task = 'write Grace Hopper into "Name" and tick "Check me"'
    with playing(tmp_path, READER, "--lists") as env:
        env["DESKHAND_SYSTEM__ACTION_SEQUENCE"] = "true"
        done = run(env, task, "--app", "form", "--config", config, "--out", tmp_path / "out")
    assert (done.code, done.item("outcome"), done.item("model_calls")) == (0, "success", 4), done.err
    truth = Truth.model_validate_json(state.read_text())
    assert truth.controls["name"].text == "Grace Hopper"
    assert truth.controls["check"].checked
    assert "DISPLAY=" in began_with.read_text()
    for path in (began_with, *(tmp_path / "out").rglob("*")):
        assert not path.is_file() or b"sk-nobodys" not in path.read_bytes(), path
    assert "sk-nobodys" not in done.err
