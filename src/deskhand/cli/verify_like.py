"""`deskhand verify --like`: a window and its reference."""

from dataclasses import dataclass
from pathlib import Path

from deskhand.cli.console import print_note, printable
from deskhand.core.ports import CheckResult, Satisfaction
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.report.snapshot_page import write_snapshot_page
from deskhand.snapshots.comparison import accept, compare_within


@dataclass(frozen=True, slots=True)
class Likeness:
    """A reference, the page to write, and whether the present state becomes the reference."""

    reference: Path
    report: Path | None
    update: bool


async def check_likeness(desktop: Desktop, window: TargetInfo, wanted: Likeness, wait_s: float) -> CheckResult:
    """Compare the window with its reference. One that does not exist is made, which is unknown and no success.

    Raises: ConfigurationError, StoreError, DesktopGone; where a reference is made, ApplicationGone,
    ApplicationUnresponsive, CaptureFailed.
    """
    path = wanted.reference
    is_missing = not path.exists()
    if wanted.update or is_missing:
        await accept(desktop, window, path)
        made = f"{path.name} was made of the present window; look at it, and verify again"
        return CheckResult("like", ok=wanted.update, detail=made, known=wanted.update)
    compared = await compare_within(desktop, window, path, wait_s)
    if wanted.report is not None:
        page = write_snapshot_page(compared, path, wanted.report)
        print_note(f"report: {printable(str(page))}")
    is_known = compared.verdict is not Satisfaction.UNKNOWN
    return CheckResult("like", compared.verdict is Satisfaction.SATISFIED, compared.detail, is_known)
