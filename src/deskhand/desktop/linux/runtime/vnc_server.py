"""Programs that serve a display to VNC viewers: x11vnc, and for browsers websockify with the page of noVNC.

They are on loopback alone, below a guardian of their own, which ends them with this process, however that ends.
"""

import os
import secrets
import shlex
import socket
import string
import tempfile
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import LaunchFailed, MissingRequirement, UsageError
from deskhand.desktop.linux.runtime.guardian_client import Control, start_keeper
from deskhand.desktop.linux.runtime.viewer_programs import NOVNC, PAGE, WEBSOCKIFY, X11VNC, missing_viewer_programs
from deskhand.desktop.mark import MARK

LOOPBACK: Final = "127.0.0.1"
_VNC_PORTS: Final = range(5900, 6000)
_WEB_PORTS: Final = range(6080, 6180)
_PASSWORD_LETTERS: Final = string.ascii_lowercase + string.digits
_PASSWORD_LENGTH: Final = 8
"""VNC's own authentication takes no more."""
_GONE: Final = "gone"
_START_S: Final = 20.0
_ASK_AGAIN_S: Final = 0.02
_OPTIONS: Final = (
    *("-norc", "-noremote", "-novncconnect"),  # no file and no property of the display changes what is served
    *("-localhost", "-no6", "-noipv6", "-forever", "-shared"),
    *("-nowf", "-noscr", "-noxrecord"),  # the picture as it is: none of these guesses, one of which grabs the server
    *("-noclipboard", "-noprimary"),  # each fetch of our own clipboard would look like that of an application
    *("-repeat", "-nodpms", "-nobell", "-quiet"),
)


@dataclass(frozen=True, slots=True)
class ViewerOptions:
    """`port` of 127.0.0.1, 0 for a free one from 5900 on. `web`: for browsers too. `view_only`: input is ignored."""

    port: int = 0
    web: bool = False
    view_only: bool = False


@dataclass(frozen=True, slots=True)
class ServedDisplay:
    """`address` for VNC viewers; `url`: for a browser, with all that it needs, empty without `ViewerOptions.web`.

    `ended` returns the reason once one of the programs has ended; `client_gone` returns when a client went.
    """

    address: str
    password: str
    url: str
    ended: Callable[[], Awaitable[str]]
    client_gone: Callable[[], Awaitable[None]]


def check_viewer_programs(*, web: bool) -> None:
    """Raises: MissingRequirement."""
    if lacking := missing_viewer_programs(web=web):
        raise MissingRequirement(
            f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not installed",
            fix=f"sudo apt-get install -y --no-install-recommends {' '.join(lacking)}",
        )


@asynccontextmanager
async def serve_display(
    display: str, environment: Mapping[str, str], options: ViewerOptions
) -> AsyncGenerator[ServedDisplay]:
    """Serve a display until left. `environment`: with what the display asks of its clients.

    Raises: MissingRequirement, UsageError (the port is taken), LaunchFailed.
    """
    check_viewer_programs(web=options.web)
    port = _free_port(options.port, _VNC_PORTS)
    folder = Path(tempfile.mkdtemp(prefix="dh-vnc-"))
    keeper = start_keeper(f"vnc {display}", uuid.uuid4().hex, (folder,))
    try:
        await keeper.ready()
        await keeper.control.environment(_environment(display, environment) | {MARK: keeper.mark, "HOME": str(folder)})
        with _fifo(folder / _GONE) as gone:
            yield await _started(_Programs(keeper.control, folder, gone), display, port, options)
    finally:
        await keeper.close()


async def _started(programs: "_Programs", display: str, port: int, options: ViewerOptions) -> ServedDisplay:
    """Raises: UsageError, LaunchFailed."""
    try:
        with anyio.fail_after(_START_S):
            password = await programs.serve_vnc(display, port, view_only=options.view_only)
            url = await programs.serve_web(port, password) if options.web else ""
    except TimeoutError as error:
        raise LaunchFailed(f"{display} was not served within {_START_S:g} s", fix="Try again.") from error
    return ServedDisplay(f"{LOOPBACK}:{port}", password, url, programs.ended, programs.client_gone)


class _Programs:
    """The started programs, by name. `gone`: a descriptor where x11vnc writes a line for each client that went."""

    def __init__(self, control: Control, folder: Path, gone: int) -> None:
        self._control = control
        self._folder = folder
        self._gone = gone
        self._pids: dict[str, int] = {}

    async def serve_vnc(self, display: str, port: int, *, view_only: bool) -> str:
        """Return the password. Raises: LaunchFailed, DesktopGone."""
        password = "".join(secrets.choice(_PASSWORD_LETTERS) for _ in range(_PASSWORD_LENGTH))
        file = _private(self._folder / "password", f"{password}\n")
        command = [X11VNC, "-display", display, "-rfbport", str(port), *_OPTIONS]
        command += ["-passwdfile", f"rm:{file}", "-flag", "/dev/fd/{fd}"]
        command += ["-gone", f"echo > {shlex.quote(str(self._folder / _GONE))}"]
        command += ["-viewonly"] if view_only else []
        pid = await self._spawn(command, announce=True)
        if not await self._control.line(pid):
            raise LaunchFailed(f"x11vnc did not serve {display}: {self._last_words(X11VNC)}", fix="Try again.")
        return password

    async def serve_web(self, vnc_port: int, password: str) -> str:
        """Return the address for browsers. Raises: LaunchFailed, DesktopGone."""
        port, token = _free_port(0, _WEB_PORTS), secrets.token_urlsafe(16)
        tokens = _private(self._folder / "tokens", f"{token}: {LOOPBACK}:{vnc_port}\n")
        origins = f"http://{LOOPBACK}:{port} http://localhost:{port}"
        command = [WEBSOCKIFY, "--web", str(NOVNC), f"{LOOPBACK}:{port}"]
        command += ["--token-plugin", "ReadOnlyTokenFile", "--token-source", str(tokens)]
        command += ["--auth-plugin", "ExpectOrigin", "--auth-source", origins]
        pid = await self._spawn(command)
        while not await _answers(port):
            if self._control.exited(pid) is not None:
                raise LaunchFailed(f"websockify did not start: {self._last_words(WEBSOCKIFY)}", fix="Try again.")
        # What follows the # stays in the browser.
        chosen = {
            "autoconnect": "true",
            "resize": "scale",
            "password": password,
            "path": f"websockify%3Ftoken%3D{token}",
        }
        return f"http://{LOOPBACK}:{port}/{PAGE}#" + "".join(f"&{name}={value}" for name, value in chosen.items())

    async def ended(self) -> str:
        """Return the reason once one of the programs has ended. Raises: DesktopGone (so has the guardian)."""
        reasons: list[str] = []

        async def wait(name: str, pid: int) -> None:
            await self._control.ended(pid)
            reasons.append(f"{name} has ended: {self._last_words(name)}")
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for name, pid in self._pids.items():
                group.start_soon(wait, name, pid)
        return reasons[0]

    async def client_gone(self) -> None:
        """Return when a client of the viewer went, or several."""
        await anyio.wait_readable(self._gone)
        os.read(self._gone, 1 << 16)

    async def _spawn(self, command: Sequence[str], *, announce: bool = False) -> int:
        log = self._folder / f"{command[0]}.log"
        pid = self._pids[command[0]] = await self._control.spawn(command, log=log, announce=announce)
        return pid

    def _last_words(self, name: str) -> str:
        with suppress(OSError):
            lines = (self._folder / f"{name}.log").read_text(errors="replace").splitlines()
            return next((line.strip() for line in reversed(lines) if line.strip()), "it gave no reason")
        return "it gave no reason"


def _environment(display: str, environment: Mapping[str, str]) -> dict[str, str]:
    kept = {name: environment[name] for name in ("XAUTHORITY",) if name in environment}
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "DISPLAY": display, **kept}


def _private(file: Path, text: str) -> Path:
    """Write a file that only its owner can read."""
    file.touch(mode=0o600)
    file.write_text(text)
    return file


def _free_port(wanted: int, usual: Sequence[int]) -> int:
    """Return a port of loopback that nobody has: the wanted one, else of the usual ones. Raises: UsageError."""
    reason = ""
    for port in (wanted,) if wanted else usual:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError as error:
                reason = error.strerror or str(error)
                continue
            return port
    told = f"port {wanted}" if wanted else f"each port from {usual[0]} to {usual[-1]}"
    raise UsageError(f"{told} of {LOOPBACK} cannot be had: {reason}", fix="give another one with --port")


@contextmanager
def _fifo(path: Path) -> Generator[int]:
    """Make a named pipe; its reader also has it open for writing, so that it never ends."""
    os.mkfifo(path, 0o600)
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def _answers(port: int) -> bool:
    """True if somebody accepts connections; else False after a moment."""
    try:
        async with await anyio.connect_tcp(LOOPBACK, port):
            return True
    except OSError:
        await anyio.sleep(_ASK_AGAIN_S)
        return False
