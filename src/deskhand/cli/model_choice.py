"""Choice of the model: a playbook, or language models of a provider."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deskhand.cli.human_model import NAME as HUMAN
from deskhand.cli.human_model import HumanModel
from deskhand.cli.interactor_choice import person_at_terminal
from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.config.sections import Configuration, ModelsSection
from deskhand.core.errors import UsageError
from deskhand.core.ports import Model
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.call import CallSettings
from deskhand.models.language.embedding import ProviderEmbedder
from deskhand.models.language.prices import Price
from deskhand.models.playbook_file import load_playbook
from deskhand.models.steps import Playbook


@dataclass(frozen=True, slots=True)
class SessionModels:
    """Models of one session; the session opens and closes them."""

    host: Model
    app: Model
    backup: Model | None = None
    evaluation: Model | None = None
    embedder: ProviderEmbedder | None = None


@dataclass(frozen=True, slots=True)
class LanguageModels:
    """Settings and keys to make the models of a session; each session gets its own."""

    settings: ModelsSection
    keys: Mapping[str, str]

    def make(self) -> SessionModels:
        """Raises: UsageError for an unknown name or a missing key."""
        settings = self.settings
        return SessionModels(
            host=self.model(settings.host or settings.model),
            app=self.model(settings.app or settings.model),
            backup=self.model(settings.backup) if settings.backup else None,
            evaluation=self.model(settings.evaluation) if settings.evaluation else None,
            embedder=self.embedder(),
        )

    def embedder(self) -> ProviderEmbedder | None:
        """Model for search by meaning; None if the settings name none. Raises: UsageError."""
        settings = self.settings
        if not settings.embeddings:
            return None
        return ProviderEmbedder(ModelName.parse(settings.embeddings), self.keys, CallSettings(settings.timeout_s))

    def model(self, name: str) -> Model:
        """Model of this name. Raises: UsageError for an unknown name, a missing key, or `human` without a terminal."""
        if name == HUMAN:
            person = person_at_terminal()
            if person is None:
                raise UsageError("--model human needs a terminal, and there is none", fix="run it in a terminal")
            return HumanModel(person)
        return self.language_model(name)

    def language_model(self, name: str) -> LanguageModel:
        """Raises: UsageError for an unknown name or a missing key."""
        settings = self.settings
        parsed = ModelName.parse(name)
        entry = settings.prices.get(name) or settings.prices.get(parsed.name)
        price = Price(**entry.model_dump()) if entry else None
        call = CallSettings(settings.timeout_s, settings.max_output_tokens, settings.temperature, price)
        return LanguageModel(parsed, self.keys, call, sees=settings.pictures, schema=settings.reply_schema)


def configured_embedder(sources: Sources) -> ProviderEmbedder | None:
    """Embedding model of `models.embeddings`. Raises: UsageError, ConfigurationError."""
    settings = load(sources).models
    return LanguageModels(settings, model_keys(sources, settings)).embedder() if settings.embeddings else None


def language_models(sources: Sources, configuration: Configuration) -> LanguageModels | None:
    """Models of the settings, checked; None if they name none. Raises: UsageError."""
    settings = configuration.models
    if not settings.model and not (settings.host and settings.app):
        return None
    models = LanguageModels(settings, model_keys(sources, settings))
    models.make()
    return models


def playbook_from(path: Path) -> Playbook:
    """Raises: UsageError if it has no steps for the host."""
    book = load_playbook(path)
    if not book.host:
        raise UsageError(
            f"{path}: the playbook has no steps for the host, which picks the windows",
            fix="add host: with a step of status ASSIGN that names the agent, and a step of status FINISH",
        )
    return book


def chosen_model(
    playbook: Path | None, model: str, sources: Sources, configuration: Configuration
) -> Playbook | LanguageModels:
    """Choice of `--playbook`, `--model` and the settings. Raises: UsageError if both are given, or none."""
    if playbook is not None and model:
        raise UsageError("--playbook and --model exclude each other", fix="give one of them")
    if playbook is not None:
        return playbook_from(playbook)
    found = language_models(sources, configuration)
    if found is None:
        raise UsageError(
            "no model is chosen",
            fix="give --playbook FILE, or --model provider:name (deskhand models list), or set models.model",
        )
    return found
