"""Providers and the keys each needs: `provider:name`."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final

from deskhand.core.errors import UsageError
from deskhand.core.model import PictureLimits
from deskhand.core.text import is_address

_USUAL: Final = PictureLimits(2048, 2048 * 2048)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ImportError:  # the package around it is not
        return False


@dataclass(frozen=True, slots=True)
class Provider:
    """Requirements of one provider. `keys`: the variables it takes, `needs` the required ones.

    `address`: the variable with the address of another server with the same API; `server`: the address of its own, if
    its client does not have it. `extra`: the optional dependency that
    contains its client, the module `client`. `over_the_wire`: True if the project's tests cover requests and replies in
    its form. `pictures`: the largest that its models process in full. `free_at_address`: no key is required with
    `address`. `strict`: its own server enforces a schema only if it is sent as strict.
    """

    name: str
    needs: tuple[str, ...]
    keys: tuple[str, ...]
    address: str
    server: str = ""
    extra: str = ""
    client: str = ""
    over_the_wire: bool = False
    pictures: PictureLimits = _USUAL
    free_at_address: bool = False
    strict: bool = False

    @property
    def lacks(self) -> str:
        """The extra that contains its client, if that is not installed; nothing is imported for it."""
        return self.extra if self.client and not _is_installed(self.client) else ""


PROVIDERS: Final[Mapping[str, Provider]] = {
    provider.name: provider
    for provider in (
        Provider(
            "openai",
            ("OPENAI_API_KEY",),
            ("OPENAI_API_KEY",),
            "OPENAI_BASE_URL",
            over_the_wire=True,
            free_at_address=True,
            strict=True,
        ),
        Provider(
            "anthropic",
            ("ANTHROPIC_API_KEY",),
            ("ANTHROPIC_API_KEY",),
            "ANTHROPIC_BASE_URL",
            extra="anthropic",
            client="anthropic",
            over_the_wire=True,
            pictures=PictureLimits(1568, 1_150_000),
            free_at_address=True,
        ),
        Provider(
            "google",
            ("GOOGLE_API_KEY",),
            ("GOOGLE_API_KEY",),
            "GOOGLE_GEMINI_BASE_URL",
            extra="google",
            client="google.genai",
            pictures=PictureLimits(3072, 3072 * 3072),
        ),
        Provider(
            "azure",
            ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION"),
            ("AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION"),
            "AZURE_OPENAI_ENDPOINT",
            strict=True,
        ),
        Provider(
            "bedrock",
            ("AWS_DEFAULT_REGION",),
            ("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
            "AWS_ENDPOINT_URL",
            extra="bedrock",
            client="boto3",
            pictures=PictureLimits(1568, 1_150_000),
        ),
        Provider("ollama", (), ("OLLAMA_API_KEY",), "OLLAMA_BASE_URL"),
        Provider("openrouter", ("OPENROUTER_API_KEY",), ("OPENROUTER_API_KEY",), "OPENROUTER_BASE_URL"),
    )
}
SECRET_WORDS: Final = ("KEY", "TOKEN", "SECRET")
"""Parts of names of variables whose values must not appear in a log."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model as users write it: `openai:gpt-5-mini`."""

    provider: Provider
    name: str

    @staticmethod
    def parse(text: str) -> "ModelName":
        """Raises: UsageError if it is not `provider:name` of a known provider."""
        provider, colon, name = text.partition(":")
        if not colon or not name.strip() or not provider.strip():
            raise UsageError(f"{text!r} is not provider:name", fix=f"one of {', '.join(PROVIDERS)}, as openai:NAME")
        known = PROVIDERS.get(provider)
        if known is None:
            near = difflib.get_close_matches(provider, PROVIDERS, 1)
            meant = f"did you mean {near[0]}:{name}? " if near else ""
            raise UsageError(
                f"there is no provider {provider!r}",
                fix=f"{meant}known: {', '.join(PROVIDERS)}; a server that speaks OpenAI's language is openai:NAME "
                "with OPENAI_BASE_URL",
            )
        return ModelName(known, name)

    def __str__(self) -> str:
        return f"{self.provider.name}:{self.name}"

    def keys_of(self, keys: Mapping[str, str]) -> dict[str, str]:
        """The keys that its provider takes, its address included."""
        return {key: keys[key] for key in (*self.provider.keys, self.provider.address) if keys.get(key)}

    def is_strict(self, keys: Mapping[str, str]) -> bool:
        """True if its schemas are sent as strict: not to another server with the same API."""
        provider = self.provider
        return provider.strict and (provider.address in provider.needs or not keys.get(provider.address))

    def check(self, keys: Mapping[str, str]) -> None:
        """Raises: UsageError if a variable that the provider needs is missing from `keys`, or is invalid.

        A server of the user's own needs no key, so none is required with an address.
        """
        provider = self.provider
        if (address := keys.get(provider.address)) and not is_address(address):
            raise UsageError(
                f"{provider.address} is not a server's address", fix="write it as http://HOST:PORT/v1 or https://HOST"
            )
        if spoiled := [name for name in provider.keys if not _can_be_key(keys.get(name, ""))]:
            raise UsageError(
                f"{spoiled[0]} has characters that are invalid in a key, such as a space, a line break or an accent",
                fix="copy the whole key again",
            )
        if provider.free_at_address and keys.get(provider.address):
            return
        missing = [name for name in provider.needs if not keys.get(name)]
        if missing:
            raise UsageError(
                f"{self} needs {' and '.join(missing)}",
                fix=f"set {missing[0]} in the environment, or write it into the secrets file (deskhand models list)",
            )


def secrets_in(keys: Mapping[str, str], address: str) -> list[str]:
    """Values of a provider's variables that must not appear in a log; `address`: the variable with its address."""
    secrets = [value for key, value in keys.items() if any(word in key for word in SECRET_WORDS)]
    login = password_in(keys.get(address, ""))
    return [*secrets, *([login] if login else [])]


def _can_be_key(text: str) -> bool:
    return text.isascii() and text.isprintable() and " " not in text


def without_login(address: str) -> str:
    """An address without its name and password, and without the part after its path."""
    scheme, slashes, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}".partition("?")[0]


def password_in(address: str) -> str:
    """The password in an address; empty without one."""
    host = address.partition("://")[2].partition("/")[0]
    return host.rpartition("@")[0].partition(":")[2]
