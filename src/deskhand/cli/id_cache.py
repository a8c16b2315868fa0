"""What `observe` showed last of each window, so that its ids mean the same to `act` in another process (SPEC 6)."""

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
from deskhand.desktop.base import Desktop
from deskhand.perception.labels import Labeller
from deskhand.store.atomic_files import store_error, write_atomic
from deskhand.store.lock import lock_when_free

BUS_VARIABLE: Final = "DBUS_SESSION_BUS_ADDRESS"
WINDOWS_KEPT: Final = 200
"""So many windows' ids hold; of those that were looked at longest ago they are forgotten."""
OUT_OF_SIGHT_KEPT: Final = 1000
"""So many controls of a window keep their ids while they are not seen; those that were seen longest ago lose them."""
_PATIENCE_S: Final = 5.0
_LOCK: Final = ".lock"
_TRY_AGAIN: Final = "try again; if it stays so, end the deskhand that holds it: it was stopped, or hangs"
_MAKE_ROOM: Final = (
    "free some space there, let it be written to, or move away what is in its way: by what is kept there act knows the "
    "ids; it is below the XDG_STATE_HOME, else the HOME, of the desktop's programs"
)


class _Shown(BaseModel):
    """The file. `desktop` is the address of its session bus, which no other has; `last` the highest id given.

    `controls` are those of the last look, `out_of_sight` those of looks before it, the latest first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    desktop: str
    window: TargetInfo
    controls: tuple[TargetInfo, ...]
    last: int
    out_of_sight: tuple[TargetInfo, ...] = ()

    @property
    def known(self) -> tuple[TargetInfo, ...]:
        return *self.controls, *self.out_of_sight


async def label(desktop: Desktop, observation: Observation) -> tuple[TargetInfo, ...]:
    """The controls with their ids: those that were shown before keep theirs, also after they were out of sight, and no
    other gets one of those, whatever other processes look at.

    They are kept in place of what the last look at the window showed. Raises: StoreError.
    """
    file = _file(desktop, observation.window)
    folder = file.parent
    with _advised(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # One process numbers at a time, which takes it milliseconds.
        lock = await lock_when_free(folder / _LOCK, whose="the ids of controls", patience_s=_PATIENCE_S)
        try:
            labelled = _label(desktop, observation, file)
            _forget_all_but_latest(folder)
        finally:
            lock.release()
    return labelled


@contextmanager
def _advised(folder: Path) -> Generator[None]:
    """Where nothing can be kept, whoever looks chose no folder, and is told what to do instead. Raises: StoreError."""
    try:
        yield
    except StoreBusy as error:
        raise StoreError(error.message, fix=_TRY_AGAIN) from error
    except StoreError as error:
        raise StoreError(error.message, fix=_MAKE_ROOM) from error
    except OSError as error:
        raise StoreError(store_error("keep what was shown in", folder, error).message, fix=_MAKE_ROOM) from error


def _label(desktop: Desktop, observation: Observation, file: Path) -> tuple[TargetInfo, ...]:
    window = observation.window
    labeller = Labeller()
    before = _kept(desktop, window)
    if before:
        labeller.resume(window, before.known, before.last)
    labelled = labeller.label(observation)
    shown = _Shown(
        desktop=_address(desktop),
        window=window,
        controls=labelled,
        last=labeller.last,
        out_of_sight=_not_among(labelled, before.known if before else ()),
    )
    write_atomic(file, shown.model_dump_json().encode(), doing="keep what was shown", private=True)
    return labelled


def _not_among(labelled: Sequence[TargetInfo], known: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
    """Those that are known and may be seen again: what has no handle, or one that is another control's now, is not."""
    seen = {(control.handle, control.type) for control in labelled}
    unseen = (control for control in known if control.handle and (control.handle, control.type) not in seen)
    return tuple(islice(unseen, OUT_OF_SIGHT_KEPT))


async def label_asked(desktop: Desktop, window: TargetInfo, observation: Observation) -> tuple[TargetInfo, ...]:
    """The same of the window that was asked for; what is seen of another in front of it gets no ids, as they would mean
    controls of the one that was asked for. Raises: StoreError.
    """
    return await label(desktop, observation) if same_window(observation.window, window) else ()


def recall(desktop: Desktop, window: TargetInfo) -> Observation | None:
    """What was last shown of a window on this desktop; None where nothing was."""
    shown = _kept(desktop, window)
    return Observation(window, shown.controls, None, 0.0) if shown else None


def _kept(desktop: Desktop, window: TargetInfo) -> _Shown | None:
    try:
        shown = _Shown.model_validate_json(_file(desktop, window).read_bytes())
    except (OSError, ValidationError):
        return None
    return shown if shown.desktop == _address(desktop) and shown.window.pid == window.pid else None


def control_shown(shown: Observation | None, label: str) -> TargetInfo:
    """The control that an id of the latest `observe` means. Raises: ElementNotFound."""
    if shown is None:
        raise ElementNotFound(f"nothing was observed of this window, so nothing has the id {label!r}", fix=_LOOK)
    found = next((control for control in shown.controls if control.id == label), None)
    if found is None:
        raise ElementNotFound(f"nothing that was observed of this window has the id {label!r}", fix=_LOOK)
    return found


def _forget_all_but_latest(folder: Path) -> None:
    """Windows that are long gone leave nothing."""
    for file in sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-WINDOWS_KEPT]:
        file.unlink()


_LOOK = "deskhand observe lists the controls and their ids"


def _address(desktop: Desktop) -> str:
    return desktop.environment.get(BUS_VARIABLE, "")


def _folder(desktop: Desktop) -> Path:
    """Where programs of that desktop keep their state, so that it is one to all who look at it: to a shell that was
    brought to the desktop (`desktop env`), and to one that was not. What a private desktop shows goes with its HOME.
    """
    told = desktop.environment
    if state := told.get("XDG_STATE_HOME"):
        return Path(state) / "deskhand" / "seen"
    if home := told.get("HOME"):
        return Path(home) / ".local/state" / "deskhand" / "seen"
    return platformdirs.user_state_path("deskhand", appauthor=False) / "seen"


def _file(desktop: Desktop, window: TargetInfo) -> Path:
    shown = f"{_address(desktop)}\0{desktop.name}\0{window.handle}"
    return _folder(desktop) / f"{hashlib.sha256(shown.encode()).hexdigest()[:24]}.json"
