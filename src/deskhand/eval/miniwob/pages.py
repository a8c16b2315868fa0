"""Pages of the installed package `miniwob`, which is not imported: that would load Gymnasium and Selenium."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement, UsageError

_FOLDER: Final = "miniwob"
_LISTED: Final = 8


@dataclass(frozen=True, slots=True)
class Pages:
    """`root`: the folder of the pages and of the scripts that they share."""

    root: Path

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of all tasks, such as `click-button`."""
        return tuple(sorted(page.stem for page in (self.root / _FOLDER).glob("*.html")))

    def require(self, tasks: Iterable[str]) -> tuple[str, ...]:
        """Return the tasks. Raises: UsageError for one that does not exist."""
        known, wanted = self.tasks, tuple(tasks)
        for task in wanted:
            if task not in known:
                near = [each for each in known if task in each or each in task][:_LISTED] or list(known[:_LISTED])
                raise UsageError(f"MiniWoB++ has no task {task!r}", fix=f"there are, among others: {', '.join(near)}")
        return wanted

    def file(self, path: str) -> Path | None:
        """Return the file at a path of a URL; None where there is none inside of the folder."""
        found = (self.root / path).resolve()
        return found if found.is_relative_to(self.root.resolve()) and found.is_file() else None

    def path(self, task: str) -> str:
        """Return the path of a task's page below the root."""
        return f"{_FOLDER}/{task}.html"


def installed_pages() -> Pages:
    """Return the pages of the package. Raises: MissingRequirement."""
    spec = find_spec("miniwob")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        root = Path(folder) / "html"
        if (root / _FOLDER).is_dir():
            return Pages(root)
    raise MissingRequirement("the package miniwob is not installed", fix="pip install 'deskhand[miniwob]'")
