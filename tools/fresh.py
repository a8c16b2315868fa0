"""Tries the commands of the README on a bare Debian: `python3 tools/fresh.py --suite bookworm`. Needs root.

Unpacks a minimal Debian into a temporary folder, with nothing added but python3 and make, clones HEAD into it, and
there, with an empty HOME, CI=true and no stdin:

1. as a user who may not install anything: `make` has to stop and name the one command;
2. as root: every target has to pass and leave no process behind;
3. as that user again, now that the packages are there: every target has to pass.

Mounts live in a namespace of their own and end with it; the folder is removed however this ends. How packages are
reached (mirror, proxy, certificates, resolver) is taken from this machine.
"""

import argparse
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SUITES: Final = ("bookworm", "trixie")
USER: Final = "newcomer"
CACHE_MAX_AGE_S: Final = 7 * 24 * 3600
APT: Final = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "Dpkg::Use-Pty=0")
PASSED_ON: Final = re.compile(r"(?i)(https?|no|all)_proxy|(SSL_CERT|PIP|UV)_.*")
NOT_PASSED_ON: Final = re.compile(r"PIP_(FIND_LINKS|CACHE_DIR|LOG|TARGET|PREFIX)|UV_.*(DIR|PYTHON).*")


class Failed(Exception):
    """The trial failed; the message says step was expected."""


def report(message: str) -> None:
    print(f"fresh: {message}", flush=True)


def run(argv: Sequence[str]) -> None:
    """Runs a command of this machine. Raises: Failed."""
    if subprocess.run(argv, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Failed(f"did not work: {shlex.join(argv)}")


def sources_of(texts: Sequence[str], host_suite: str, suite: str) -> list[str]:
    """One-line apt sources for `suite`, made from the Debian sources of a machine that runs `host_suite`.

    `texts` are files in either form that apt reads; entries for other suites (other vendors' archives) are left out.
    """
    found: list[str] = []
    for text in texts:
        for uri, name, components in (*_one_line_entries(text), *_stanza_entries(text)):
            if name == host_suite or name.startswith(f"{host_suite}-"):
                line = f"deb {uri} {suite}{name.removeprefix(host_suite)} {components}"
                found += [line] if line not in found else []
    return found


def _one_line_entries(text: str) -> Iterator[tuple[str, str, str]]:
    for match in re.finditer(r"^deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)$", text, flags=re.MULTILINE):
        yield match[1], match[2], match[3].strip()


def _stanza_entries(text: str) -> Iterator[tuple[str, str, str]]:
    for stanza in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^(Types|URIs|Suites|Components|Enabled):\s*(.+)$", stanza, flags=re.MULTILINE))
        if "deb" in fields.get("Types", "").split() and fields.get("Enabled", "yes").strip() != "no":
            for uri in fields.get("URIs", "").split():
                for name in fields.get("Suites", "").split():
                    yield uri, name, fields.get("Components", "main").strip()


def host_sources(suite: str) -> list[str]:
    """Raises: Failed if this machine has no Debian sources to take the mirror from."""
    apt = Path("/etc/apt")
    lists = (*apt.glob("sources.list.d/*.list"), *apt.glob("sources.list.d/*.sources"))
    texts = [path.read_text(encoding="utf-8") for path in (apt / "sources.list", *sorted(lists)) if path.is_file()]
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    sources = sources_of(texts, codename, suite)
    if not sources:
        raise Failed(f"found no Debian sources for {codename or 'this system'} in /etc/apt to take the mirror from")
    return sources


class BareDebian:
    """A minimal Debian in a folder of this machine."""

    def __init__(self, folder: Path, suite: str) -> None:
        self.folder = folder
        self._suite = suite

    def unpack(self) -> None:
        sources = host_sources(self._suite)
        tarball = Path.home() / ".cache" / "deskhand" / "fresh" / f"{self._suite}.tar"
        if not tarball.is_file() or time.time() - tarball.stat().st_mtime > CACHE_MAX_AGE_S:
            self._bootstrap(sources[0].split()[1], tarball)
        run(("tar", "-C", str(self.folder), "-xf", str(tarball)))
        self.folder.chmod(0o755)  # it is the root folder of users in there; temporary folders are closed to them
        self._take_network_settings(sources)

    def _bootstrap(self, mirror: str, tarball: Path) -> None:
        report(f"building a minimal {self._suite}")
        tarball.parent.mkdir(parents=True, exist_ok=True)
        fresh = tarball.with_suffix(f".{os.getpid()}")
        with temporary_folder() as base:
            run(("debootstrap", "--variant=minbase", self._suite, str(base), mirror))
            run(("tar", "-C", str(base), "-cf", str(fresh), "."))
        fresh.replace(tarball)

    def _take_network_settings(self, sources: Sequence[str]) -> None:
        etc = self.folder / "etc"
        for name in ("resolv.conf", "hosts"):
            (etc / name).unlink(missing_ok=True)
            shutil.copyfile(Path("/etc") / name, etc / name)
        (etc / "apt" / "sources.list").write_text("\n".join(sources) + "\n")
        acquire = subprocess.run(("apt-config", "dump", "Acquire"), capture_output=True, text=True, check=True).stdout
        (etc / "apt" / "apt.conf.d" / "99host").write_text(acquire)
        certificates = self.folder / "usr" / "local" / "share" / "ca-certificates"
        for path in Path("/usr/local/share/ca-certificates").glob("*.crt"):
            certificates.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, certificates / path.name)
        no_services = self.folder / "usr" / "sbin" / "policy-rc.d"
        no_services.write_text("#!/bin/sh\nexit 101\n")
        no_services.chmod(0o755)

    def clone(self, home: str, owner: str) -> None:
        """A clean clone of HEAD in `home`, which is emptied first."""
        target = self.folder / home.lstrip("/")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        run(("git", "clone", "-q", "--no-hardlinks", str(ROOT), str(target / "deskhand")))
        if owner != "root":
            self.command(("chown", "-R", f"{owner}:{owner}", home))

    def command(self, argv: Sequence[str], *, user: str = "root", home: str = "/root") -> None:
        """Raises: Failed."""
        code, _ = self.attempt(shlex.join(argv), user=user, home=home)
        if code != 0:
            raise Failed(f"as {user}: {shlex.join(argv)} ended with {code}")

    def attempt(self, line: str, *, user: str, home: str) -> tuple[int, str]:
        """Runs a shell line in here, without stdin. Returns its exit code and its output."""
        variables = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "CI": "true",
            **passed_on(),
        }
        as_user = ("chroot", f"--userspec={user}:{user}", "/", "/usr/bin/env", "-i", f"HOME={home}")
        inner = (*as_user, *(f"{name}={value}" for name, value in variables.items()), "/bin/sh", "-c", line)
        mounts = (
            f"mount --bind {self.folder} {self.folder}",
            f"mount -t proc proc {self.folder}/proc",
            f"mount --bind /dev {self.folder}/dev",
            f"mount --bind /dev/pts {self.folder}/dev/pts",
            f"mount -t tmpfs -o mode=1777 tmpfs {self.folder}/dev/shm",
            f"mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts {self.folder}/dev/pts",
            f"mount --bind {self.folder}/dev/pts/ptmx {self.folder}/dev/ptmx",
            # Not a chroot: in one, the kernel lets nobody make a sandbox of his own.
            f"cd {self.folder} && pivot_root . . && umount -l .",
            f"exec {shlex.join(inner)}",
        )
        namespace = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
        started = subprocess.Popen(
            (*namespace, "/bin/sh", "-c", " && ".join(mounts)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        output: list[str] = []
        try:
            assert started.stdout is not None
            for text in started.stdout:
                output.append(text)
                print(f"  | {text}", end="", flush=True)
            return started.wait(), "".join(output)
        finally:
            started.kill()  # and with it, by --kill-child, everything in the namespace
            started.wait()


def passed_on(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables by which packages are reached from here."""
    return {
        name: value
        for name, value in environment.items()
        if PASSED_ON.fullmatch(name) and not NOT_PASSED_ON.fullmatch(name)
    }


@contextmanager
def temporary_folder() -> Generator[Path]:
    """A folder that is removed however the block ends; never one below which something is still mounted."""
    folder = Path(tempfile.mkdtemp(prefix="deskhand-fresh-")).resolve()
    try:
        yield folder
    finally:
        mounted = re.findall(rf" ({re.escape(str(folder))}/\S*) ", Path("/proc/self/mountinfo").read_text())
        for path in sorted(mounted, reverse=True):
            subprocess.run(("umount", path), check=True)
        shutil.rmtree(folder)


class Trial:
    """The three parts of the trial on one bare Debian, timed."""

    def __init__(self, debian: BareDebian, targets: Sequence[str]) -> None:
        self._debian = debian
        self._targets = targets
        self.times: list[tuple[str, float]] = []

    def run(self) -> None:
        debian = self._debian
        debian.command((*APT, "update"))
        debian.command((*APT, "install", "-y", "--no-install-recommends", "python3", "make"))
        debian.command(("useradd", "--create-home", "--shell", "/bin/sh", USER))
        self._without_permission()
        self._all_targets("root", "/root")
        self._all_targets(USER, f"/home/{USER}")

    def _without_permission(self) -> None:
        home = f"/home/{USER}"
        self._debian.clone(home, USER)
        code, output = self._make(self._targets[0], USER, home)
        command = re.search(r"^su -c '(apt-get update && apt-get install .+)'$", output, flags=re.MULTILINE)
        if code == 0 or "Error 2" not in output or command is None:
            raise Failed("a user who may not install anything was not given exit code 2 and the one command")
        self._debian.command(("sh", "-c", command[1].replace(" install ", " install --simulate ")))

    def _all_targets(self, user: str, home: str) -> None:
        self._debian.clone(home, user)
        for target in self._targets:
            code, _ = self._make(target, user, home)
            if code != 0:
                raise Failed(f"as {user}: make {target} ended with {code}")

    def _make(self, target: str, user: str, home: str) -> tuple[int, str]:
        report(f"as {user}: make {target}")
        # The shell is process 1 in there: when make has ended, whoever else is in /proc was left behind.
        look = "set -- /proc/[0-9]*; [ $# = 1 ] || { echo left behind: $*; code=99; }"
        line = f"make {target}; code=$?; {look}; exit $code"
        began = time.monotonic()
        answer = self._debian.attempt(f"cd {home}/deskhand && {line}", user=user, home=home)
        self.times.append((f"{user}: make {target} → {answer[0]}", time.monotonic() - began))
        return answer


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--suite", choices=SUITES, default=SUITES[0])
    parser.add_argument("--targets", nargs="+", default=["demo", "test"], help="make targets to try")
    options = parser.parse_args(arguments)
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        report("needs root and debootstrap: sudo apt-get install debootstrap && sudo make test-fresh")
        return 2
    signal.signal(signal.SIGTERM, _interrupt)
    if subprocess.run(("git", "-C", str(ROOT), "diff", "--quiet", "HEAD"), check=False).returncode != 0:
        report("there are changes that are not committed; HEAD is tried without them")
    began = time.monotonic()
    try:
        with temporary_folder() as folder:
            debian = BareDebian(folder, options.suite)
            debian.unpack()
            trial = Trial(debian, options.targets)
            try:
                trial.run()
            finally:
                for step, seconds in trial.times:
                    report(f"{seconds:7.1f} s  {step}")
    except Failed as failed:
        report(f"FAILED on {options.suite}: {failed}")
        return 1
    except KeyboardInterrupt:
        report("interrupted; everything was removed")
        return 130
    report(f"passed on {options.suite} in {time.monotonic() - began:.0f} s")
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
