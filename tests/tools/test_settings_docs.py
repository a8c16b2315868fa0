"""docs/settings.md says what the settings say of themselves, and of projects' files what their reader does."""

import inspect
import re
from pathlib import Path

import pytest

from deskhand.config import sections
from deskhand.config.load import Sources, load, project_may, written_settings
from deskhand.core.errors import ConfigurationError
from tools.settings_docs import PAGE, docstrings, filled

CANDIDATES = (
    "true",
    "false",
    "1",
    "3",
    "stop",
    "pause",
    "ignore",
    "batch",
    "next_round",
    "ctrl+f1",
    "[atspi]",
    "[omniparser]",
)
"""Values of which each setting takes some."""

BETWEEN = "2"
"""What the user's own file says where that is a number that the setting takes."""


@pytest.mark.requires("config.page")
def test_the_page_is_what_the_tool_would_write_and_has_every_setting() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, docstrings(inspect.getsource(sections))) == page
    for section, model in written_settings().items():
        for name in model.model_fields:
            shown = f"| `{name}`<br>`DESKHAND_{section}__{name}`".upper() in page.upper()
            assert shown == (project_may(section, name) is not None)


@pytest.mark.requires("config.page")
def test_a_setting_that_says_nothing_of_itself_breaks_the_page() -> None:
    source = inspect.getsource(sections)
    dumb = re.sub(r"(    max_step: .*\n) *\"\"\".*\"\"\"\n", r"\1", source)
    assert dumb != source
    with pytest.raises(ValueError, match=r"SystemSection\.max_step has no docstring"):
        filled(PAGE.read_text(encoding="utf-8"), docstrings(dumb))


def taken(folder: Path, section: str, *, user: dict[str, str], project: dict[str, str]) -> set[str]:
    """Of the settings that either file names, those of which the reader takes all that the files say."""
    for file, settings in (("deskhand/config.yaml", user), ("deskhand.yaml", project)):
        (folder / file).parent.mkdir(exist_ok=True)
        lines = [f"  {name}: {value}\n" for name, value in settings.items()]
        (folder / file).write_text(f"{section}:\n{''.join(lines)}" if lines else "")
    try:
        load(Sources({"XDG_CONFIG_HOME": str(folder)}, folder))
    except ConfigurationError as error:
        wrong = re.findall(rf"^\S+:\d+: {section}(?: has no setting '|\.)(\w+)", error.message, re.MULTILINE)
        assert wrong
        return {*user, *project} - set(wrong)
    return {*user, *project}


@pytest.mark.requires("config.page", "config.project-tightens")
@pytest.mark.parametrize("section", written_settings())
def test_what_a_projects_file_may_say_is_what_the_reader_takes(section: str, tmp_path: Path) -> None:
    names = written_settings()[section].model_fields
    user = dict.fromkeys(taken(tmp_path, section, user=dict.fromkeys(names, BETWEEN), project={}), BETWEEN)
    came: dict[str, list[str]] = {name: [] for name in names}
    valid: dict[str, list[str]] = {name: [] for name in names}
    for value in CANDIDATES:
        for name in taken(tmp_path, section, user=dict.fromkeys(names, value), project={}):
            valid[name].append(value)
        for name in taken(tmp_path, section, user=user, project=dict.fromkeys(names, value)):
            came[name].append(value)
    wanted = {"nothing": [], "less": ["1"], "more": ["3"], "without `omniparser`": ["[atspi]"]}
    for name in names:
        may = project_may(section, name) or "nothing"
        assert came[name] == (valid[name] if may == "anything" else wanted.get(may, [may.strip("`")])), (name, may)
