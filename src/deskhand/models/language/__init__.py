"""Language models of any provider. Nothing here imports a provider's library before it is needed."""

from deskhand.models.language.model import LanguageModel
from deskhand.models.language.providers import ModelName

__all__ = ["LanguageModel", "ModelName"]
