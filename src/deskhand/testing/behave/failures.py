"""The desktop as it was when a test failed, as files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.errors import DeskhandError, DesktopError
from deskhand.perception.compact import compact
from deskhand.store.png import encode_png
from deskhand.sync import Desktop, Window

DEFAULT_FOLDER: Final = "deskhand-failures"


@dataclass(frozen=True, slots=True)
class Failure:
    """`picture`: the screen as a PNG. `controls`: the windows with their controls, the front one first, as lines."""

    picture: bytes
    controls: str

    @classmethod
    def of(cls, desktop: Desktop) -> "Failure":
        """Return the desktop as it is now. Raises: DesktopGone, CaptureFailed."""
        lists = "\n\n".join(map(_listed, desktop.windows()))
        return cls(encode_png(desktop.screenshot()), lists or "no window is open")

    def save(self, folder: Path) -> Path:
        """Write `screen.png` and `controls.txt` into a folder, in place of earlier ones, and return it as absolute."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "screen.png").write_bytes(self.picture)
        (folder / "controls.txt").write_text(self.controls + "\n", encoding="utf-8")
        return folder.absolute()


def save_desktop(desktop: Desktop, folder: Path) -> tuple[str, Failure | None]:
    """Save the desktop as it is now into a folder; return a sentence that names it, or why there is none."""
    try:
        failure = Failure.of(desktop)
        return f"The desktop as it was then: {failure.save(folder)}", failure
    except (DeskhandError, OSError) as error:
        return f"There is no picture of the desktop: {error}", None


def _listed(window: Window) -> str:
    head = f'"{window.title}" of {window.info.application}'
    try:
        controls = window.observe().controls
    except DesktopError as error:
        return f"{head}: {error.message}"
    return f"{head}\n{compact([each.labelled(str(n)) for n, each in enumerate(controls, 1)], budget=None).text}"
