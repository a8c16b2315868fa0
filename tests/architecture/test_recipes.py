"""The recipes of docs/architecture.md that no other test follows."""

import os
import shutil
import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import cast

import pytest

from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.call import CallSettings
from deskhand.models.language.providers import PROVIDERS, Provider
from models.language.asked import FINISH, KEY, request
from support import ROOT
from wire.server import wire


async def test_a_provider_with_the_api_of_openai_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    with wire(FINISH) as server:
        acme = Provider("acme", ("ACME_KEY",), ("ACME_KEY",), "ACME_URL", server=server.openai)
        monkeypatch.setitem(cast("MutableMapping[str, Provider]", PROVIDERS), "acme", acme)
        async with LanguageModel(ModelName.parse("acme:m1"), {"ACME_KEY": KEY}, CallSettings(10.0)) as model:
            reply = await model.respond(request())
    (heard,) = server.heard
    assert reply.content == {"status": "FINISH", "result": "done"}
    assert (heard.body["model"], heard.headers["authorization"]) == ("m1", f"Bearer {KEY}")


SETTING = '''class SystemSection(Section):
    """How sessions run."""

    greeting: StrictStr = "hello"
    """The first words of a session."""
'''


def test_a_setting_is_one_field_with_its_docstring(tmp_path: Path) -> None:
    """It can be set by file and environment, and the generated page has its line."""
    for folder in ("src", "tools", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "images"))
    sections = tmp_path / "src/deskhand/config/sections.py"
    before, head, after = sections.read_text("utf-8").partition("class SystemSection(Section):\n")
    assert head
    sections.write_text(before + SETTING + after.partition('"""\n')[2], encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path / 'src'}", "DESKHAND_SYSTEM__GREETING": "good day"}
    read = (
        "from deskhand.config.load import Sources, load; import os, pathlib; "
        "print(load(Sources(os.environ, pathlib.Path.cwd())).system.greeting)"
    )
    for arguments, printed in ((("-c", read), "good day\n"), (("-m", "tools.settings_docs"), None)):
        done = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert printed in {None, done.stdout}
    assert "| `greeting`<br>`DESKHAND_SYSTEM__GREETING` | The first words of a session. | text |" in (
        tmp_path / "docs/settings.md"
    ).read_text("utf-8")
