"""Video of a display: a frame for each change, encoded by ffmpeg.

`python -m deskhand.testing.video :N FILE.webm` records until its standard input is closed, which also the death of its
parent does. It runs beside the tests as a process of its own, so that it takes none of their interpreter's time.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

import anyio
from anyio import to_thread

from deskhand.core.errors import DeskhandError, DesktopGone, MissingRequirement
from deskhand.core.geometry import Rect
from deskhand.desktop.backends import open_live
from deskhand.desktop.protocols.live import LiveDesktop

_ENCODER: Final = "ffmpeg"
_LEAST_S: Final = 0.2
"""Time between two frames, at least."""
_NICENESS: Final = 10
"""Of the recorder and ffmpeg: what they record goes first."""
_STOP_S: Final = 20.0


class Video:
    """A recording that runs. `path`: its file, complete after `stop`."""

    def __init__(self, display: str, path: Path) -> None:
        """Raises: MissingRequirement without ffmpeg."""
        require_encoder()
        self.path = path
        self._problems = path.with_suffix(".log").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "deskhand.testing.video", display, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._problems,
        )
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        self._process.stdout.readline()  # the first frame is taken, or it has ended

    def stop(self) -> str:
        """End the recording. Return an empty text, or the reason why there is no video."""
        try:
            self._process.communicate(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        code = self._process.returncode
        with self._problems as problems:
            problems.seek(0)
            said = problems.read().decode(errors="replace").strip()
        self.path.with_suffix(".log").unlink(missing_ok=True)
        if code == 0:
            return ""
        self.path.unlink(missing_ok=True)
        return f"no video of the desktop: {said or f'its process ended with {code}'}"


def require_encoder() -> None:
    """Raises: MissingRequirement."""
    if shutil.which(_ENCODER) is None:
        raise MissingRequirement("ffmpeg is not installed", fix="sudo apt-get install -y ffmpeg")


async def record(display: str, path: Path, until: Callable[[], object]) -> None:
    """Record a display until a blocking function returns.

    Raises: UsageError (no such display), DesktopGone, CaptureFailed, OSError (ffmpeg).
    """
    async with open_live(display) as live:
        screen = (await live.look()).screen
        encoder = _encoder(screen, path)
        try:
            await _record(live, screen, encoder, until)
        finally:
            said = await to_thread.run_sync(_closed, encoder)
    if encoder.returncode:
        raise OSError(f"ffmpeg ended with {encoder.returncode}: {said}")


async def _record(
    live: LiveDesktop, screen: Rect, encoder: subprocess.Popen[bytes], until: Callable[[], object]
) -> None:
    changed, over = anyio.Event(), anyio.Event()

    def on_change(_: Sequence[Rect]) -> None:
        changed.set()

    async def wait_for_end() -> None:
        await to_thread.run_sync(until, abandon_on_cancel=True)
        over.set()
        changed.set()

    async def wait_for_desktop() -> None:
        await live.ended.wait()
        over.set()
        changed.set()

    live.on_change = on_change
    async with anyio.create_task_group() as group:
        group.start_soon(wait_for_end)
        group.start_soon(wait_for_desktop)
        await _frame(live, screen, encoder)
        print("recording", flush=True)  # noqa: T201 - the parent waits for it
        while not over.is_set():
            await changed.wait()
            changed = anyio.Event()
            with anyio.move_on_after(_LEAST_S):
                await over.wait()
            if not live.ended.is_set():
                await _frame(live, screen, encoder)
        group.cancel_scope.cancel()


async def _frame(live: LiveDesktop, screen: Rect, encoder: subprocess.Popen[bytes]) -> None:
    picture = await live.picture(screen)
    assert encoder.stdin is not None  # noqa: S101 - it is a pipe
    await to_thread.run_sync(encoder.stdin.write, picture.pixels)


def _encoder(screen: Rect, path: Path) -> subprocess.Popen[bytes]:
    """Start ffmpeg, which takes raw pictures and gives each the time at which it came."""
    source = ("-f", "rawvideo", "-pixel_format", "bgr0", "-video_size", f"{screen.width}x{screen.height}")
    codec = ("-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "2M", "-pix_fmt", "yuv420p")
    return subprocess.Popen(
        [
            *(_ENCODER, "-hide_banner", "-loglevel", "error", "-y"),
            *("-use_wallclock_as_timestamps", "1", *source, "-i", "-"),
            *("-vsync", "vfr", *codec, str(path)),
        ],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _closed(encoder: subprocess.Popen[bytes]) -> str:
    """End the encoder after its last picture; return its messages."""
    _, said = encoder.communicate()
    return said.decode(errors="replace").strip()


def _main(display: str, path: str, until: IO[bytes]) -> int:
    os.nice(_NICENESS)
    try:
        anyio.run(record, display, Path(path), until.read)
    except DesktopGone:
        return 0  # the video ends with its desktop
    except (DeskhandError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - for the parent
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1], sys.argv[2], sys.stdin.buffer))
