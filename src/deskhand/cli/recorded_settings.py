"""Settings of a recorded session, for a command that continues or repeats it."""

import os
from collections.abc import Mapping
from pathlib import Path

from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.events import SessionOptions


def sources_of(options: SessionOptions, models: Mapping[str, object]) -> Sources:
    """Return the sources of settings as of the start of the session; its models win over what they say now."""
    folder = Path(options.folder)
    there = folder if options.folder and folder.is_dir() else Path.cwd()
    return Sources(
        os.environ, there, Path(options.config) if options.config else None, {"models": models} if models else {}
    )


def configuration_of(options: SessionOptions, sources: Sources, changes: Mapping[str, object]) -> Configuration:
    """Return today's settings with the session's own `system` section and the changes that are not None."""
    given = {name: value for name, value in changes.items() if value is not None}
    system = SystemSection.model_validate({**options.system, **given})
    return load(sources).model_copy(update={"system": system})
