"""Records of the programs that were launched on a desktop: their output and their crashes."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from deskhand.core.target import TargetInfo


@runtime_checkable
class ProgramRecords(Protocol):
    """A desktop that has the output of the programs launched on it; not every backend does."""

    def outputs(self) -> Mapping[str, str]:
        """Return the output of each launched program, errors included, since its first launch. Never raises."""
        ...

    def output_of(self, window: TargetInfo) -> str:
        """Return the output of the program of a window, also after its end; empty where it is not known."""
        ...

    async def packages_of(self, window: TargetInfo) -> Mapping[str, str]:
        """Return the versions of the packages of the running program of a window; empty where they are not known."""
        ...

    async def backtrace_of(self, window: TargetInfo) -> str:
        """Return the backtrace of the program of a window that died, from its core file.

        Raises: MissingRequirement (no gdb), BacktraceMissing (there is no core file, and why).
        """
        ...

    def remove_core_of(self, window: TargetInfo) -> None:
        """Remove the core file that the program of a window left in its folder when it died. Never raises."""
        ...
