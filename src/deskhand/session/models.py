"""The models of a session: language models of providers, by their names in the settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from deskhand.config.load import Sources, load
from deskhand.config.secrets import model_keys
from deskhand.config.sections import ModelsSection
from deskhand.core.ports import Model
from deskhand.models.healing import HealingModel
from deskhand.models.language import LanguageModel, ModelName
from deskhand.models.language.call import CallSettings
from deskhand.models.language.embedding import ProviderEmbedder
from deskhand.models.language.prices import Price
from deskhand.models.language.providers import PROVIDERS
from deskhand.models.playbook import PlaybookModel
from deskhand.models.setup import ModelSetup
from deskhand.models.steps import Playbook

MakeModel: TypeAlias = Callable[[str, ModelSetup], Model]
"""Makes a model of no provider: its name is what follows the maker's own name and a colon, empty without one."""


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
    """Settings and keys to make the models of a session; each session gets its own.

    `others`: makers of models that no provider has, by name.
    """

    settings: ModelsSection
    keys: Mapping[str, str]
    others: Mapping[str, MakeModel] = field(default_factory=dict[str, MakeModel])

    def make(self, model: Model | None = None) -> SessionModels:
        """Return the models, with the given one for the host and the applications.

        Raises: UsageError for an unknown name or a missing key.
        """
        settings = self.settings
        return SessionModels(
            host=model or self.model(settings.host or settings.model),
            app=model or self.model(settings.app or settings.model),
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
        """Model of this name. Raises: UsageError for an unknown name or a missing key."""
        maker, _, rest = name.partition(":")
        make = self.others.get(maker) if maker not in PROVIDERS else None
        return make(rest, self._setup(name, rest)) if make is not None else self.language_model(name)

    def _setup(self, name: str, rest: str) -> ModelSetup:
        settings = self.settings
        known = (settings.prices.get(each) for each in (name, rest, rest.rpartition("/")[2]))
        entry = next(filter(None, known), None)
        price = Price(**entry.model_dump()) if entry else None
        return ModelSetup(self.keys, settings.timeout_s, settings.max_output_tokens, price)

    def language_model(self, name: str) -> LanguageModel:
        """Raises: UsageError for an unknown name or a missing key."""
        settings = self.settings
        parsed = ModelName.parse(name)
        entry = settings.prices.get(name) or settings.prices.get(parsed.name)
        price = Price(**entry.model_dump()) if entry else None
        call = CallSettings(settings.timeout_s, settings.max_output_tokens, settings.temperature, price)
        return LanguageModel(parsed, self.keys, call, sees=settings.pictures, schema=settings.reply_schema)


def followed(book: Playbook, values: Mapping[str, object], healer: LanguageModels | Model | None) -> SessionModels:
    """Return the models of a session that follows a playbook; `healer`: for its steps that do not fit.

    Raises: UsageError for a missing, unknown or wrong parameter, or for an unknown model.
    """
    if healer is None:
        steps = PlaybookModel(book, values)
    else:
        model = healer.model(healer.settings.model) if isinstance(healer, LanguageModels) else healer
        steps = HealingModel(book, values, healer=model)
    return SessionModels(host=steps, app=steps)


def configured_embedder(sources: Sources) -> ProviderEmbedder | None:
    """Embedding model of `models.embeddings`. Raises: UsageError, ConfigurationError."""
    settings = load(sources).models
    return LanguageModels(settings, model_keys(sources, settings)).embedder() if settings.embeddings else None


def language_models(
    sources: Sources, settings: ModelsSection, others: Mapping[str, MakeModel] | None = None
) -> LanguageModels | None:
    """Models of the settings, checked; None if they name none. `others`: see `LanguageModels`. Raises: UsageError."""
    if not settings.model and not (settings.host and settings.app):
        return None
    models = LanguageModels(settings, model_keys(sources, settings), others or {})
    models.make()
    return models
