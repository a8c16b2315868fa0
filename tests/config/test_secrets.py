"""Keys of providers, from the environment and a file of one's own."""

from pathlib import Path

import pytest

from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.config.sections import ModelsSection
from deskhand.core.errors import ConfigurationError


def sources(tmp_path: Path, **environment: str) -> Sources:
    return Sources({"XDG_CONFIG_HOME": str(tmp_path), **environment}, tmp_path)


def written(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "deskhand" / "secrets.env"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.requires("model.keys")
def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    written(tmp_path, "# mine\n\nOPENAI_API_KEY = 'of the file'\nANTHROPIC_API_KEY=a=b\n")
    keys = model_keys(sources(tmp_path, OPENAI_API_KEY="of the shell"), ModelsSection())
    assert (keys["OPENAI_API_KEY"], keys["ANTHROPIC_API_KEY"]) == ("of the shell", "a=b")
    assert model_keys(sources(tmp_path, OPENAI_API_KEY=""), ModelsSection())["OPENAI_API_KEY"] == "of the file"


@pytest.mark.requires("model.keys")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = written(tmp_path, "OPENAI_API_KEY=k\n", mode)
    with pytest.raises(ConfigurationError, match="other users can read") as raised:
        model_keys(sources(tmp_path), ModelsSection())
    assert raised.value.fix == f"chmod 600 {path}"


@pytest.mark.requires("model.keys")
def test_what_is_wrong_is_said_by_its_line_and_without_the_key(tmp_path: Path) -> None:
    path = written(tmp_path, "A=1\nsk-secret\n")
    with pytest.raises(ConfigurationError) as raised:
        model_keys(sources(tmp_path), ModelsSection())
    assert str(raised.value) == f"{path}:2: not NAME=VALUE"


@pytest.mark.requires("model.keys")
def test_a_named_file_has_to_be_there_and_the_usual_one_need_not(tmp_path: Path) -> None:
    assert "OPENAI_API_KEY" not in model_keys(sources(tmp_path), ModelsSection())
    with pytest.raises(ConfigurationError, match="no such file"):
        model_keys(sources(tmp_path), ModelsSection(secrets=tmp_path / "none.env"))


@pytest.mark.requires("model.keys")
def test_a_projects_file_cannot_choose_who_sees_the_screen(tmp_path: Path) -> None:
    (tmp_path / "deskhand.yaml").write_text("models:\n  model: openai:theirs\n")
    with pytest.raises(ConfigurationError, match="would send pictures of the screen to a server of its choice"):
        load(sources(tmp_path))
