"""Cache of each window's observed controls, so that ids of an observation are valid in other processes and for other
clients. An id is never given twice on a desktop.
"""

import hashlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from deskhand.core.errors import ElementNotFound, StoreBusy, StoreError
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.labels import Labeller
from deskhand.store.atomic_files import store_error, write_atomic
from deskhand.store.lock import lock_when_free

BUS_VARIABLE: Final = "DBUS_SESSION_BUS_ADDRESS"
MAX_WINDOWS: Final = 200
"""Number of windows whose ids are cached; the least recently observed are dropped."""
MAX_OUT_OF_SIGHT: Final = 1000
"""Number of a window's controls that keep their ids while not visible; the least recently seen are dropped."""
_LOCK_TIMEOUT_S: Final = 5.0
_LOCK: Final = ".lock"
_LAST: Final = "last"
"""File with the highest id given on this desktop."""
_TRY_AGAIN: Final = "try again; if it fails again, end the deskhand process that holds the lock: it is stopped or hangs"
_MAKE_ROOM: Final = (
    "free space there, or make it writable: act finds the ids of controls in this folder; "
    "it is below XDG_STATE_HOME, else HOME, of the desktop's programs"
)


class _CachedWindow(BaseModel):
    """Content of the file. `desktop` is the address of its session bus, which is unique; `last` the highest id given.

    `controls` are those of the latest observation, `out_of_sight` those of earlier ones, the latest first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")

    desktop: str
    window: TargetInfo
    controls: tuple[TargetInfo, ...]
    last: int
    out_of_sight: tuple[TargetInfo, ...] = ()

    @property
    def all_controls(self) -> tuple[TargetInfo, ...]:
        return *self.controls, *self.out_of_sight


async def label(desktop: Desktop, observation: Observation) -> tuple[TargetInfo, ...]:
    """Controls with their ids. A control that had an id keeps it, also after it was not visible; an id is never given
    to another control, even if other processes observe too.

    Replaces the cached observation of the window. Raises: StoreError.
    """
    file = _file(desktop, observation.window)
    folder = file.parent
    with _storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # One process at a time gives ids; it takes milliseconds.
        lock = await lock_when_free(folder / _LOCK, whose="the ids of controls", patience_s=_LOCK_TIMEOUT_S)
        try:
            labelled = _label(desktop, observation, file)
            _forget_all_but_latest(folder)
        finally:
            lock.release()
    return labelled


@contextmanager
def _storage_errors(folder: Path) -> Generator[None]:
    """Replace the fix of a storage error: the user did not choose this folder. Raises: StoreError."""
    try:
        yield
    except StoreBusy as error:
        raise StoreError(error.message, fix=_TRY_AGAIN) from error
    except StoreError as error:
        raise StoreError(error.message, fix=_MAKE_ROOM) from error
    except OSError as error:
        raise StoreError(store_error("cache an observation in", folder, error).message, fix=_MAKE_ROOM) from error


def _label(desktop: Desktop, observation: Observation, file: Path) -> tuple[TargetInfo, ...]:
    window = observation.window
    labeller = Labeller()
    before = _cached(desktop, window)
    if before:
        labeller.resume(window, before.all_controls, before.last)
    labeller.go_on(window, _highest(file.parent, _address(desktop)))
    labelled = labeller.label(observation)
    shown = _CachedWindow(
        desktop=_address(desktop),
        window=window,
        controls=labelled,
        last=labeller.last,
        out_of_sight=_not_among(labelled, before.all_controls if before else ()),
    )
    highest = f"{_address(desktop)}\n{labeller.last}".encode()
    write_atomic(file.with_name(_LAST), highest, doing="cache the highest id", private=True)
    write_atomic(file, shown.model_dump_json().encode(), doing="cache an observation", private=True)
    return labelled


def _highest(folder: Path, address: str) -> int:
    """The highest id given on the desktop of this address, 0 at first."""
    try:
        desktop, _, last = (folder / _LAST).read_text().rpartition("\n")
        return int(last) if desktop == address else 0
    except (OSError, ValueError):
        return 0


def _not_among(labelled: Sequence[TargetInfo], all_controls: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
    """Cached controls that may be seen again: those with a handle that no other control has now."""
    seen = {(control.handle, control.type) for control in labelled}
    unseen = (control for control in all_controls if control.handle and (control.handle, control.type) not in seen)
    return tuple(islice(unseen, MAX_OUT_OF_SIGHT))


async def label_requested(desktop: Desktop, window: TargetInfo, observation: Observation) -> tuple[TargetInfo, ...]:
    """Like `label` for the requested window; controls of another window in front of it get no ids, as those would
    refer to the requested one. Raises: StoreError.
    """
    return await label(desktop, observation) if same_window(observation.window, window) else ()


def cached_observation(desktop: Desktop, window: TargetInfo) -> Observation | None:
    """Latest cached observation of a window on this desktop; None if there is none."""
    shown = _cached(desktop, window)
    return Observation(window, shown.controls, None, 0.0) if shown else None


def _cached(desktop: Desktop, window: TargetInfo) -> _CachedWindow | None:
    try:
        shown = _CachedWindow.model_validate_json(_file(desktop, window).read_bytes())
    except (OSError, ValidationError):
        return None
    return shown if shown.desktop == _address(desktop) and shown.window.pid == window.pid else None


def cached_window(desktop: Desktop, label: str, windows: Sequence[TargetInfo]) -> TargetInfo | None:
    """The window, of those that are open, whose latest observation has a control of this id."""
    for window in windows:
        shown = cached_observation(desktop, window)
        if shown and any(control.id == label for control in shown.controls):
            return window
    return None


class CachedIds:
    """Implements `serve.desktop_tools.IdStore`."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    async def label(self, observation: Observation) -> tuple[TargetInfo, ...]:
        return await label(self._desktop, observation)

    def latest(self, window: TargetInfo) -> Observation | None:
        return cached_observation(self._desktop, window)

    def window_of(self, label: str, windows: Sequence[TargetInfo]) -> TargetInfo | None:
        return cached_window(self._desktop, label, windows)


def cached_control(shown: Observation | None, label: str) -> TargetInfo:
    """Control that an id of the latest `observe` refers to. Raises: ElementNotFound."""
    if shown is None:
        raise ElementNotFound(
            f"this window was not observed yet, so no control has the id {label!r}", fix=_OBSERVE_FIRST
        )
    found = next((control for control in shown.controls if control.id == label), None)
    if found is None:
        raise ElementNotFound(f"no observed control of this window has the id {label!r}", fix=_OBSERVE_FIRST)
    return found


def _forget_all_but_latest(folder: Path) -> None:
    """Delete the files of all but the most recently observed windows."""
    for file in sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-MAX_WINDOWS]:
        file.unlink()


_OBSERVE_FIRST = "deskhand observe lists the controls and their ids"


def _address(desktop: Desktop) -> str:
    return desktop.environment.get(BUS_VARIABLE, "")


def _folder(desktop: Desktop) -> Path:
    """State folder of the desktop's programs, the same for a shell inside the desktop (`desktop env`) and one outside.
    The files of a private desktop are deleted with its HOME.
    """
    environment = desktop.environment
    if state := environment.get("XDG_STATE_HOME"):
        return Path(state) / "deskhand" / "seen"
    if home := environment.get("HOME"):
        return Path(home) / ".local/state" / "deskhand" / "seen"
    return platformdirs.user_state_path("deskhand", appauthor=False) / "seen"


def _file(desktop: Desktop, window: TargetInfo) -> Path:
    shown = f"{_address(desktop)}\0{desktop.name}\0{window.handle}"
    return _folder(desktop) / f"{hashlib.sha256(shown.encode()).hexdigest()[:24]}.json"
