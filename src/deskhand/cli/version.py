"""Which Deskhand this is."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed


def version() -> str:
    """The installed package's version; `unknown` where it runs from a folder that nobody installed."""
    try:
        return installed("deskhand")
    except PackageNotFoundError:
        return "unknown"
