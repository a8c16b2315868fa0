"""The templates of prompts: the packaged ones, and a user's own in place of the first part."""

import traceback
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    FunctionLoader,
    PackageLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from deskhand.core.errors import ConfigurationError
from deskhand.core.text import both_ends, one_line, quoted
from deskhand.prompts.outcome import came_of, problem_of, verdict_of
from deskhand.prompts.step_history import called, gave, labelled, numbered

_FIX: Final = "a prompt template is Jinja; it may use {{ reply }}, {{ statuses }}, {{ tools }} and the packaged parts"


@cache
def packaged() -> ImmutableSandboxedEnvironment:
    """Return the packaged templates, each compiled once in a process."""
    return _environment(PackageLoader("deskhand.prompts", "templates"))


class UsersTemplate:
    """A user's template file, in a sandbox: it may include the packaged parts, and call nothing.

    Raises: ConfigurationError with file and line, on construction and on rendering.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path}: cannot be read: {error}", fix="name a readable template") from error
        own = FunctionLoader(lambda name: (text, str(path), lambda: True) if name == str(path) else None)
        packaged_ones = PackageLoader("deskhand.prompts", "templates")
        environment = _environment(ChoiceLoader([own, packaged_ones]))
        with _told(path):
            self._template = environment.get_template(str(path))

    def render(self, **values: object) -> str:
        with _told(self._path):
            return self._template.render(**values)


@contextmanager
def _told(path: Path) -> Generator[None]:
    """Turn a template's exception into a ConfigurationError with file and line."""
    try:
        yield
    except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
        inside = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, TemplateSyntaxError) else next(reversed(inside), 1)
        raise ConfigurationError(f"{path}:{line}: {error}", fix=_FIX) from error


def _environment(loader: BaseLoader) -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        keep_trailing_newline=True,
    )
    filters: dict[str, Any] = made.filters  # jinja's stub narrows the values to its own functions
    filters.update(
        line=one_line,
        ends=both_ends,
        quoted=quoted,
        called=called,
        gave=gave,
        labelled=labelled,
        numbered=numbered,
        came_of=came_of,
        problem_of=problem_of,
        verdict_of=verdict_of,
    )
    return made
