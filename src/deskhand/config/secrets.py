"""Keys of model providers: from the environment, and from a file that only its owner can read."""

import stat
from collections.abc import Mapping
from pathlib import Path

from deskhand.config.load import Sources
from deskhand.config.sections import ModelsSection
from deskhand.core.errors import ConfigurationError


def model_keys(sources: Sources, models: ModelsSection) -> dict[str, str]:
    """Variables by name; the environment wins over the file.

    Raises: ConfigurationError if a named file is missing, others can read it, or a line is not NAME=VALUE.
    """
    path = models.secrets or sources.secrets_file
    kept = _read(path, required=models.secrets is not None)
    return {**kept, **{name: value for name, value in sources.environment.items() if value}}


def _read(path: Path, *, required: bool) -> Mapping[str, str]:
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if required:
            raise ConfigurationError(f"{path}: there is no such file (models.secrets)") from error
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigurationError(f"{path}: other users can read this file of keys", fix=f"chmod 600 {path}")
    found: dict[str, str] = {}
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ConfigurationError(f"{path}:{number}: not NAME=VALUE", fix="write it as OPENAI_API_KEY=…")
        found[name.strip()] = value.strip().strip("\"'")
    return found
