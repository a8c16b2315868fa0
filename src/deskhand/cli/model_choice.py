"""Choice of the model: a playbook, the user, or language models of a provider."""

from pathlib import Path

from deskhand.cli.human_model import NAME as HUMAN
from deskhand.cli.human_model import HumanModel
from deskhand.cli.interactor_choice import person_at_terminal
from deskhand.config.load import Sources
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.core.ports import Model
from deskhand.models.playbook_file import load_session_playbook
from deskhand.models.setup import ModelSetup
from deskhand.models.steps import Playbook
from deskhand.session.models import LanguageModels, language_models
from deskhand.session.plugins import model_makers


def user_as_model() -> Model:
    """Raises: UsageError without a terminal."""
    person = person_at_terminal()
    if person is None:
        raise UsageError("--model human needs a terminal, and there is none", fix="run it in a terminal")
    return HumanModel(person)


def _user(name: str, setup: ModelSetup) -> Model:  # noqa: ARG001 - the form of every maker
    return user_as_model()


def chosen_healer(heal: str, sources: Sources, configuration: Configuration) -> LanguageModels | None:
    """Model of `--heal`, as the only one of its settings; None without. Raises: UsageError."""
    if not heal:
        return None
    alone = {"model": heal, "host": "", "app": "", "backup": "", "evaluation": "", "embeddings": ""}
    return language_models(sources, configuration.models.model_copy(update=alone), model_makers())


def chosen_model(
    playbook: Path | None, model: str, sources: Sources, configuration: Configuration
) -> Playbook | LanguageModels:
    """Choice of `--playbook`, `--model` and the settings. Raises: UsageError if both are given, or none."""
    if playbook is not None and model:
        raise UsageError("--playbook and --model exclude each other", fix="give one of them")
    if playbook is not None:
        return load_session_playbook(playbook)
    found = language_models(sources, configuration.models, {**model_makers(), HUMAN: _user})
    if found is None:
        raise UsageError(
            "no model is chosen",
            fix="give --playbook FILE, or --model provider:name (deskhand models list), or set models.model",
        )
    return found
