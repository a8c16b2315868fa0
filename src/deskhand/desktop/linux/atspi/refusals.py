"""Errors of controls whose application refused a call."""

from collections.abc import Generator
from contextlib import contextmanager

from deskhand.core.errors import ActionRefused, ElementStale
from deskhand.desktop.linux.atspi.calls import Ref


@contextmanager
def speaking_of(ref: Ref, described: str) -> Generator[None]:
    """Name a refused or missing target as the caller knows it: the path of its object means nothing to the caller."""
    try:
        yield
    except (ActionRefused, ElementStale) as error:
        said = error.message.replace(f"{ref.path} of {ref.bus}", described).replace(ref.path, described)
        if said == error.message:
            raise
        raise type(error)(said, fix=error.fix) from error
