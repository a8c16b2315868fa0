"""Installs the requirements of Deskhand: system packages, a pinned uv, the Python packages of the lock file; for the
tests Qt 6, MCP clients and a Python of Windows.

    python3 tools/bootstrap.py check | demo | test | bench | peers | conformance | site

Needs only the standard library. stdout stays empty, progress goes to stderr. Installed packages are left alone:
then neither apt nor the network is touched. Exit code 0: ready, 1: a download or an installation failed,
2: this machine needs something that only its owner can give, and the last line is the command.
"""

import sys

if sys.version_info < (3, 11) or sys.version_info >= (3, 15):
    sys.stderr.write(
        "Deskhand needs Python 3.11 to 3.14, and %s is %d.%d.\n"  # noqa: UP031 - older ones must be able to read it
        "Name another one: make PYTHON=/path/to/python3.11 …\n" % ((sys.executable,) + sys.version_info[:2])  # noqa: RUF005
    )
    sys.exit(2)

import fcntl
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

ROOT: Final = Path(__file__).resolve().parent.parent
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "check": ("fetch",),
    "demo": ("fetch", "demo"),
    "test": ("fetch", "demo", "test"),
    "bench": ("fetch", "demo", "test", "bench"),
    "peers": ("fetch", "demo", "test", "bench"),
    "conformance": ("fetch", "demo", "test", "conformance"),
    "site": ("fetch",),
}
WITH_EXTRAS: Final = ("test", "bench")
CLIENTS: Final = ("mcp1", "mcp2")
"""Environments with clients of other makers for the tests of the MCP server, `.venv-NAME` from `tools/NAME.txt`."""
SYSTEM_PYTHON: Final = "/usr/bin/python3"
APT_ENVIRONMENT: Final = {"DEBIAN_FRONTEND": "noninteractive"}
APT_OPTIONS: Final = ("-q", "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=300")
UV_ENVIRONMENT: Final = {"UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1"}


class Stopped(Exception):
    """Bootstrap cannot go on; the message is for the user, `code` for the shell."""

    def __init__(self, message: str, *, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


class Machine(Protocol):
    """Facts about this computer."""

    def is_root(self) -> bool: ...

    def has_program(self, name: str) -> bool: ...

    def installed(self, packages: Sequence[str]) -> frozenset[str]:
        """Those of the system packages that are installed."""
        ...

    def run(self, argv: Sequence[str], environment: Mapping[str, str]) -> int:
        """Runs a command without stdin, its output on stderr, and returns its exit code."""
        ...


class ThisMachine:
    def is_root(self) -> bool:
        return os.geteuid() == 0

    def has_program(self, name: str) -> bool:
        return shutil.which(name) is not None

    def installed(self, packages: Sequence[str]) -> frozenset[str]:
        query = ("dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *packages)
        answer = subprocess.run(query, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        lines = (line.split() for line in answer.stdout.splitlines())
        return frozenset(line[0] for line in lines if line[1:] == ["installed"])

    def run(self, argv: Sequence[str], environment: Mapping[str, str]) -> int:
        done = subprocess.run(
            argv, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False
        )
        return done.returncode


def report(message: str) -> None:
    print(f"deskhand: {message}", file=sys.stderr, flush=True)


def read_packages(text: str) -> dict[str, list[str]]:
    """Package names of each section of an apt list."""
    sections: dict[str, list[str]] = {}
    names: list[str] = []
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith("["):
            names = sections.setdefault(line.strip("[]"), [])
        elif line:
            names.append(line)
    return sections


def wanted_packages(purpose: str, sections: Mapping[str, Sequence[str]], *, can_make_venv: bool) -> list[str]:
    names = ("venv", *SECTIONS[purpose]) if not can_make_venv else SECTIONS[purpose]
    return [package for name in names for package in sections.get(name, ())]


def ensure_system_packages(packages: Sequence[str], machine: Machine) -> None:
    """Install missing packages. Raises: Stopped with code 2 and the one command if that is not permitted."""
    if not packages:
        return
    if not (machine.has_program("dpkg-query") and machine.has_program("apt-get")):
        report("no apt here, so system packages are left to you; Debian calls them: " + " ".join(packages))
        return
    installed = machine.installed(packages)
    missing = [package for package in packages if package not in installed]
    if not missing:
        return
    prefix = _permission(missing, machine)
    report("installing system packages: " + " ".join(missing))
    machine.run((*prefix, "apt-get", "update", *APT_OPTIONS), APT_ENVIRONMENT)
    install = (*prefix, "apt-get", "install", "-y", "--no-install-recommends", *APT_OPTIONS, *missing)
    if machine.run(install, APT_ENVIRONMENT) != 0:
        raise Stopped("apt could not install them, see above. To try by hand:\n" + paste(missing, machine), code=2)


def _permission(missing: Sequence[str], machine: Machine) -> tuple[str, ...]:
    """The words in front of apt-get that let it install without a question."""
    if machine.is_root():
        return ()
    sudo = ("sudo", "-n")
    if machine.has_program("sudo") and machine.run((*sudo, "true"), {}) == 0:
        return (*sudo, "env", *(f"{name}={value}" for name, value in APT_ENVIRONMENT.items()))
    raise Stopped(
        "system packages are missing and this user may not install them. Run this, then make again:\n"
        + paste(missing, machine),
        code=2,
    )


def paste(missing: Sequence[str], machine: Machine) -> str:
    """Return the one command that installs the packages, for a user with the rights."""
    apt = "apt-get update && apt-get install -y --no-install-recommends " + " ".join(missing)
    if machine.is_root():
        return apt
    return f"sudo sh -c {shlex.quote(apt)}" if machine.has_program("sudo") else f"su -c {shlex.quote(apt)}"


def is_x86_64(architecture: str) -> bool:
    """True for machines that tools/qt6.txt has Qt 6 for, and whose Wine runs programs of Windows."""
    return architecture == "x86_64"


class Environment:
    """The virtual environments of one checkout, and the uv in `.tools` that fills them."""

    def __init__(self, root: Path, interpreter: str, machine: Machine) -> None:
        self._root = root
        self._interpreter = interpreter
        self._machine = machine
        self._uv = root / ".tools" / "uv" / "bin" / "uv"
        self._venv = root / ".venv"
        self._stamp = self._venv / ".deskhand-stamp"

    def ensure(self) -> None:
        """`.venv`, for Deskhand and its tools. Raises: Stopped."""
        if self._venv.is_symlink():
            report(".venv is a link, so it is used unchanged")
            return
        fingerprint = self._fingerprint()
        if self._is_current(fingerprint):
            return
        with self._locked():
            if not self._is_current(fingerprint):
                self._ensure_uv()
                self._sync()
                self._stamp.write_text(fingerprint)

    def ensure_qt6(self) -> None:
        """`.venv-qt6`: Qt 6 beside the Qt 5 of the system, on the system's Python. Raises: Stopped."""
        self._ensure_extra("qt6", "Qt 6", SYSTEM_PYTHON)

    def ensure_clients(self) -> None:
        """Ensure the environments of `CLIENTS`. Raises: Stopped."""
        for name in CLIENTS:
            self._ensure_extra(name, f"the MCP clients {name}", self._interpreter)

    def ensure_conformance(self) -> None:
        """`.venv-conformance`: the suite of `make bench-conformance`, on the system's Python, which has Tk."""
        self._ensure_extra("conformance", "the conformance suite", SYSTEM_PYTHON)

    def ensure_peers(self) -> None:
        """`.venv-peers`: what `make bench-peers` compares with, on the system's Python, which has GObject."""
        self._ensure_extra("peers", "Cua Driver and dogtail", SYSTEM_PYTHON)

    def ensure_windows_python(self) -> None:
        """Ensure the parts that programs of Windows need beside Wine, in the user's folder, and in `.tools` a Python of
        Windows that has our requirements. Raises: Stopped.
        """
        with self._locked():
            self._ensure_uv()
        path = {"PATH": f"{self._uv.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        install = (str(self._venv / "bin" / "deskhand"), "wine", "install")
        self._must(install, "what programs of Windows need could not be installed", path)
        ours = {"PYTHONPATH": f"{self._root}{os.pathsep}{self._root / 'src'}"}
        make = (str(self._venv / "bin" / "python"), "-m", "tools.windows_python")
        self._must(make, "a Python of Windows for the tests could not be made", {**path, **ours})

    def ensure_site(self) -> None:
        """Ensure `.venv-site`: what `make site` builds with. Raises: Stopped."""
        self._ensure_extra("site", "the site builder", self._interpreter)

    def _ensure_extra(self, name: str, what: str, python: str) -> None:
        """`.venv-NAME` with the packages of `tools/NAME.txt`. Raises: Stopped."""
        venv = self._root / f".venv-{name}"
        pin = self._root / "tools" / f"{name}.txt"
        stamp = venv / ".deskhand-stamp"
        wanted = hashlib.sha256(f"{self._root}\0{python}\0".encode() + pin.read_bytes()).hexdigest()
        with self._locked():
            if venv.is_symlink() or (stamp.is_file() and stamp.read_text() == wanted):
                return
            self._ensure_uv()
            report(f"bringing {what} into .venv-{name}")
            make = (str(self._uv), "venv", "-q", "--clear", "--python", python, str(venv))
            self._must(make, f".venv-{name} could not be made")
            pip = (str(self._uv), "pip", "install", "-q", "--python", str(venv / "bin" / "python"))
            self._must((*pip, "--no-deps", "--require-hashes", "-r", str(pin)), f"{what} could not be installed")
            stamp.write_text(wanted)

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Two makes at once must not fill one environment."""
        (self._root / ".tools").mkdir(exist_ok=True)
        with (self._root / ".tools" / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _is_current(self, fingerprint: str) -> bool:
        return self._stamp.is_file() and self._stamp.read_text() == fingerprint

    def _fingerprint(self) -> str:
        """A digest of everything that determines the content of `.venv`; if it is equal, the packages are current."""
        digest = hashlib.sha256(f"{self._root}\0{self._interpreter}\0{sys.version}\0".encode())
        for name in ("requirements.lock", "pyproject.toml"):
            digest.update((self._root / name).read_bytes())
        return digest.hexdigest()

    def _ensure_uv(self) -> None:
        pin = self._root / "tools" / "uv.txt"
        stamp = self._uv.parent.parent / ".deskhand-stamp"
        wanted = hashlib.sha256(pin.read_bytes()).hexdigest()
        if self._uv.is_file() and stamp.is_file() and stamp.read_text() == wanted:
            return
        report("bringing uv into .tools")
        home = self._uv.parent.parent
        self._must((self._interpreter, "-m", "venv", "--clear", str(home)), "the environment of uv could not be made")
        pip = (str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "-q")
        self._must((*pip, "--require-hashes", "--no-deps", "-r", str(pin)), "uv could not be installed")
        stamp.write_text(wanted)

    def _sync(self) -> None:
        report("installing the Python packages of requirements.lock")
        python = self._venv / "bin" / "python"
        if os.path.realpath(python) != self._interpreter:
            self._must(
                (str(self._uv), "venv", "-q", "--clear", "--python", self._interpreter, str(self._venv)),
                ".venv could not be made",
            )
        pip = (str(self._uv), "pip")
        target = ("-q", "--python", str(python))
        lock = str(self._root / "requirements.lock")
        self._must((*pip, "sync", *target, "--require-hashes", lock), "the Python packages could not be installed")
        # The build tools are in the lock, so that nothing unpinned is fetched for our own package.
        editable = ("--offline", "--no-deps", "--no-build-isolation", "--editable", str(self._root))
        self._must((*pip, "install", *target, *editable), "Deskhand itself could not be installed")

    def _must(self, argv: Sequence[str], message: str, environment: Mapping[str, str] = UV_ENVIRONMENT) -> None:
        if self._machine.run(argv, environment) != 0:
            raise Stopped(f"{message}, see above; the command was:\n{shlex.join(argv)}")


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in SECTIONS:
        print(__doc__, file=sys.stderr)
        return 2
    machine = ThisMachine()
    sections = read_packages((ROOT / "tools" / "apt-packages.txt").read_text(encoding="utf-8"))
    can_make_venv = importlib.util.find_spec("ensurepip") is not None
    try:
        ensure_system_packages(wanted_packages(arguments[0], sections, can_make_venv=can_make_venv), machine)
        environment = Environment(ROOT, os.path.realpath(sys.executable), machine)
        environment.ensure()
        if arguments[0] == "conformance":
            environment.ensure_conformance()
        if arguments[0] == "peers":
            environment.ensure_peers()
        if arguments[0] == "site":
            environment.ensure_site()
        if arguments[0] in WITH_EXTRAS:
            environment.ensure_clients()
        if arguments[0] in WITH_EXTRAS and is_x86_64(platform.machine()):
            environment.ensure_qt6()
            environment.ensure_windows_python()
    except Stopped as stopped:
        report(str(stopped))
        return stopped.code
    except PermissionError as error:
        report(f"{error}; this checkout has to be yours: clone it anew, or give it to yourself with chown")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
