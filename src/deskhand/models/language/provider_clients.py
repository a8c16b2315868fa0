"""Factory of the providers' clients: a pydantic-ai model from a name and keys."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model as ProviderModel
from pydantic_ai.providers import Provider

from deskhand.core.errors import MissingRequirement, ModelDenied
from deskhand.models.language.providers import PROVIDERS, ModelName

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def provider_model(
    name: ModelName, keys: Mapping[str, str], http: httpx2.AsyncClient
) -> ProviderModel[Any]:  # Any: each has a client of its own
    """Make the client, which uses `http` if it supports that; nothing is sent.

    Keys are passed as arguments, never left in the environment of other programs.

    Raises: MissingRequirement if the optional dependency is not installed, ModelDenied for a name or key that its
    client refuses.
    """
    try:
        return _made(name.provider.name, name.name, keys, http)
    except ImportError as error:
        extra = name.provider.extra or name.provider.name
        raise MissingRequirement(
            f"{name} needs a package that is not installed: {error.name or error}",
            fix=f"pip install 'deskhand[{extra}]'",
        ) from error
    except UserError as error:
        raise ModelDenied(f"{name} cannot be asked: {error}", fix="check the name and the keys") from error


def _made(provider: str, name: str, keys: Mapping[str, str], http: httpx2.AsyncClient) -> ProviderModel[Any]:
    """Import the client only when needed: it takes a second."""
    match provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            key = keys.get("ANTHROPIC_API_KEY") or "none"
            address = keys.get("ANTHROPIC_BASE_URL")
            return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=address, http_client=http))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            base_url = keys.get("GOOGLE_GEMINI_BASE_URL")
            return GoogleModel(
                name, provider=GoogleProvider(api_key=keys["GOOGLE_API_KEY"], base_url=base_url, http_client=http)
            )
        case "bedrock":
            from pydantic_ai.models.bedrock import BedrockConverseModel
            from pydantic_ai.providers.bedrock import BedrockProvider

            bedrock = BedrockProvider(
                region_name=keys["AWS_DEFAULT_REGION"],
                aws_access_key_id=keys.get("AWS_ACCESS_KEY_ID"),
                aws_secret_access_key=keys.get("AWS_SECRET_ACCESS_KEY"),
                aws_session_token=keys.get("AWS_SESSION_TOKEN"),
                base_url=keys.get("AWS_ENDPOINT_URL"),
            )
            return BedrockConverseModel(name, provider=bedrock)
        case "ollama":
            from pydantic_ai.models.ollama import OllamaModel

            return OllamaModel(name, provider=openai_like(provider, keys, http))
        case "openrouter":
            from pydantic_ai.models.openrouter import OpenRouterModel

            return OpenRouterModel(name, provider=openai_like(provider, keys, http))
        case _:
            from pydantic_ai.models.openai import OpenAIChatModel

            return OpenAIChatModel(name, provider=openai_like(provider, keys, http))


def openai_like(provider: str, keys: Mapping[str, str], http: httpx2.AsyncClient) -> "Provider[AsyncOpenAI]":
    """Make the connection to a provider with OpenAI's API; most need their entry in `PROVIDERS` only."""
    match provider:
        case "ollama":
            from pydantic_ai.providers.ollama import OllamaProvider

            base_url = keys.get("OLLAMA_BASE_URL") or "http://localhost:11434/v1"
            return OllamaProvider(base_url, api_key=keys.get("OLLAMA_API_KEY") or "none", http_client=http)
        case "openrouter":
            from pydantic_ai.providers.openrouter import OpenRouterProvider

            router = OpenRouterProvider(api_key=keys["OPENROUTER_API_KEY"], http_client=http)
            router.client.base_url = keys.get("OPENROUTER_BASE_URL") or router.client.base_url
            return router
        case "azure":
            from pydantic_ai.providers.azure import AzureProvider

            return AzureProvider(
                azure_endpoint=keys["AZURE_OPENAI_ENDPOINT"],
                api_version=keys["OPENAI_API_VERSION"],
                api_key=keys["AZURE_OPENAI_API_KEY"],
                http_client=http,
            )
        case _:
            from pydantic_ai.providers.openai import OpenAIProvider

            known = PROVIDERS[provider]
            key = next((keys[name] for name in known.keys if keys.get(name)), "none")
            return OpenAIProvider(keys.get(known.address) or known.server or None, key, http_client=http)
