"""Who decides: a playbook, or language models of some provider."""

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
class Deciders:
    """The models of one session, each entered and left with it."""

    host: Model
    app: Model
    backup: Model | None = None
    evaluation: Model | None = None
    embedder: ProviderEmbedder | None = None


@dataclass(frozen=True, slots=True)
class LanguageModels:
    """What is needed to make the models of a session; each session gets its own."""

    settings: ModelsSection
    keys: Mapping[str, str]

    def make(self) -> Deciders:
        """Raises: UsageError for a name or key that cannot be."""
        of = self.settings
        return Deciders(
            host=self.model(of.host or of.model),
            app=self.model(of.app or of.model),
            backup=self.model(of.backup) if of.backup else None,
            evaluation=self.model(of.evaluation) if of.evaluation else None,
            embedder=self.embedder(),
        )

    def embedder(self) -> ProviderEmbedder | None:
        """What finds by meaning; None where the settings name nothing. Raises: UsageError."""
        of = self.settings
        if not of.embeddings:
            return None
        return ProviderEmbedder(ModelName.parse(of.embeddings), self.keys, CallSettings(of.timeout_s))

    def model(self, name: str) -> Model:
        """One of them. Raises: UsageError for a name or key that cannot be, and for a person where there is none."""
        if name == HUMAN:
            person = person_at_terminal()
            if person is None:
                raise UsageError("--model human needs a terminal, and there is none", fix="run it in a terminal")
            return HumanModel(person)
        return self.language_model(name)

    def language_model(self, name: str) -> LanguageModel:
        """Raises: UsageError for a name or key that cannot be."""
        of = self.settings
        called = ModelName.parse(name)
        entry = of.prices.get(name) or of.prices.get(called.name)
        price = Price(**entry.model_dump()) if entry else None
        call = CallSettings(of.timeout_s, of.max_output_tokens, of.temperature, price)
        return LanguageModel(called, self.keys, call, sees=of.pictures, schema=of.reply_schema)


def configured_embedder(sources: Sources) -> ProviderEmbedder | None:
    """What `models.embeddings` names. Raises: UsageError, ConfigurationError."""
    of = load(sources).models
    return LanguageModels(of, model_keys(sources, of)).embedder() if of.embeddings else None


def language_models(sources: Sources, configuration: Configuration) -> LanguageModels | None:
    """The models that the settings name, checked; None where they name none. Raises: UsageError."""
    of = configuration.models
    if not of.model and not (of.host and of.app):
        return None
    models = LanguageModels(of, model_keys(sources, of))
    models.make()
    return models


def playbook_from(path: Path) -> Playbook:
    """Raises: UsageError where it has no steps for the host."""
    book = load_playbook(path)
    if not book.host:
        raise UsageError(
            f"{path}: the playbook has no steps for the host, who picks the windows",
            fix="add host: with a step that says ASSIGN and names the agent, and one that says FINISH",
        )
    return book


def who_decides(
    playbook: Path | None, model: str, sources: Sources, configuration: Configuration
) -> Playbook | LanguageModels:
    """What `--playbook`, `--model` and the settings say. Raises: UsageError where that is both, or nothing."""
    if playbook is not None and model:
        raise UsageError("--playbook and --model both say who decides", fix="give one of them")
    if playbook is not None:
        return playbook_from(playbook)
    found = language_models(sources, configuration)
    if found is None:
        raise UsageError(
            "nothing says who decides",
            fix="give --playbook FILE, or --model provider:name (deskhand models list), or set models.model",
        )
    return found
