"""The marker `app`, whose mistakes are errors of collection."""

from difflib import get_close_matches
from inspect import Signature
from typing import Final

import pytest

APP: Final = "app"


def require_arguments(test: pytest.Item, launch: Signature) -> None:
    """`launch`: of the method that starts programs. Raises: Failed of pytest, for a marker that it does not take."""
    marker = test.get_closest_marker(APP)
    if marker is None:
        return
    _, *takes = launch.parameters
    try:
        launch.bind(None, *marker.args, **marker.kwargs)
    except TypeError as error:
        unknown = [name for name in marker.kwargs if name not in takes]
        problem = _unknown(unknown[0], takes) if unknown else str(error)
    else:
        problem = "argv is a text: write a list" if isinstance(marker.kwargs.get("argv"), str) else ""
    if problem:
        pytest.fail(f"@pytest.mark.app(…) of {test.name}: {problem}. It takes {', '.join(takes)}", pytrace=False)


def _unknown(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"it has no argument {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")
