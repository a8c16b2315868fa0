"""The error for a window whose program has ended, with its exit code or signal and its last output."""

from typing import Final

from deskhand.core.errors import ApplicationGone
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.program_records import ProgramRecords
from deskhand.desktop.protocols.windows import ProgramState, ProgramStatus

_LAST_LINES: Final = 10


def with_end(desktop: Desktop, window: TargetInfo, error: ApplicationGone, status: ProgramStatus) -> ApplicationGone:
    """Return the error with the end of the program and the last lines of its output, where it died."""
    if status.state is not ProgramState.DIED:
        return error
    message = f"{error.message.removesuffix('.')}: its program ended with {status.how}"
    lines = desktop.output_of(window).splitlines() if isinstance(desktop, ProgramRecords) else []
    if last := [line for line in lines if line.strip()][-_LAST_LINES:]:
        message = "\n".join([f"{message}. Its last output:", *last])
    return ApplicationGone(message, fix="see its output and backtrace, and launch it again")
