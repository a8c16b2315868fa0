"""The processes that outlive us just long enough to leave nothing behind.

    python -I -S guardian.py CONTROL_FD PARENT_PID NAME PATH…

Two processes share this file. The *watcher* is our child; it forks the *guardian*, which starts every program of one
desktop. Both are subreapers in sessions of their own, so every process that a program forks, however it detaches
itself, stays a descendant of the guardian, and falls to the watcher when the guardian dies.

    we die, by any signal        end-of-file on the control socket (or our pidfd): the guardian ends the tree
    the guardian is killed       the watcher, now the parent of all orphans, ends the tree
    the watcher is killed        PR_SET_PDEATHSIG signals the guardian, which ends the tree
    both are killed              programs started directly die by PR_SET_PDEATHSIG, the rest follow the X server and
                                 the bus; we end the processes with the desktop's mark (`processes.end_marked`)

Ending the tree: SIGTERM, a bounded wait, SIGKILL until nothing is left; then sockets and lock files that the killed
programs left outside are removed, those of documents too, what they mounted is detached, and the PATHs are removed with
what is below them.

The control socket carries JSON lines. The first is `{"event": "ready", "pid": …}` of the guardian. Requests have an
`id` which the reply repeats:
`{"op": "environment", "environment": {…}}` replaces the environment of programs;
`{"op": "spawn", "argv": […], "environment": {…}, "directory": …, "log": …, "announce": false, "mild": false,
"again": 0, "notices": …}` → `{"pid": …}` or `{"error": …}`; with `mild` the guardian's death is SIGTERM to it; when it
ends it is started `again` so often, and each of its ends is a line in the file `notices`; with `announce`, `{fd}` in an
argument is replaced by the number of a descriptor whose first line comes back as
`{"event": "line", "pid": …, "line": …}`;
`{"op": "listen", "path": …}` opens a second door for other processes; `{"op": "detach"}` lets us leave;
`{"op": "when_lost", "argv": […], "environment": {…}}` starts a program when this client's connection ends, however that
happens; an empty argument vector withdraws it.
The end of a program is reported to the client that spawned it: `{"event": "exit", "pid": …, "code": …}` (negative: the
signal), and stays in a file for those that connect later.

Standard library only (not even pathlib) and nothing else of Deskhand: every desktop pays this file's start-up time
and memory.
"""

import ctypes
import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MNT_DETACH = 2
UMOUNT_NOFOLLOW = 8
GRACE_S = 0.5
KILL_S = 5.0
GIVEN_UP = "is not started again"
OFFICE_PROFILE = "home/.config/libreoffice/4"
DOCUMENTS = "documents"
EXITS = "exits"
"""All below the directory of a desktop, the first path. DOCUMENTS has paths, with a null character after each; EXITS
has a line for each program that a client started and that ended: its pid and its exit code.
"""
_SETTINGS = "user/registrymodifications.xcu"
_DOCUMENT = re.compile(r'(?<=["\'>])file://(/[^"\'<]+)')
_LOCK = re.compile(r"\.~lock\..*#", re.DOTALL)
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_libc = ctypes.CDLL(None, use_errno=True)
_prctl, _umount2 = _libc.prctl, _libc.umount2


def main(arguments: list[str]) -> None:
    """Forks into watcher and guardian; neither returns before the desktop is gone."""
    control, parent, name, paths = int(arguments[0]), int(arguments[1]), arguments[2], arguments[3:]
    watcher = os.getpid()
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    guardian = os.fork()
    if guardian:
        os.close(control)
        _retitle(f"deskhand-watcher {name}")
        _watch(guardian)
    else:
        os.setsid()
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
        _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        _retitle(f"deskhand-guardian {name}")
        guard = _Guardian(control, parent, paths[0] if paths else "")
        if os.getppid() == watcher:
            guard.serve()
    for number in _STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    end_descendants()
    remove(paths)


def _watch(guardian: int) -> None:
    """Returns when the guardian is gone; a request to stop is passed on to it."""

    def pass_on(*_: object) -> None:
        os.kill(guardian, signal.SIGTERM)

    for number in _STOP_SIGNALS:
        signal.signal(number, pass_on)
    while os.wait()[0] != guardian:
        pass


class _Guardian:
    """Starts programs and reports their ends until nobody holds the desktop any more."""

    def __init__(self, control: int, parent: int, directory: str) -> None:
        self._exits = f"{directory}/{EXITS}"
        self._started: set[int] = set()
        self._stopping = False
        self._lifeline: int | None = control
        self._environment: dict[str, str] = {}
        self._clients: dict[int, bytes] = {control: b""}
        self._announcing: dict[int, tuple[int, bytes]] = {}
        self._kept: dict[int, dict[str, object]] = {}
        self._spawned_by: dict[int, int] = {}
        self._when_lost: dict[int, dict[str, object]] = {}
        self._listener: int | None = None
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        os.set_blocking(control, False)
        os.set_inheritable(control, False)
        self._wakeup, wakeup_end = os.pipe()
        for end in (self._wakeup, wakeup_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wakeup_end, warn_on_full_buffer=False)
        for number in (*_STOP_SIGNALS, signal.SIGCHLD):
            signal.signal(number, self._on_signal)
        self._poll.register(self._wakeup, select.POLLIN)
        self._parent = _pidfd(parent)
        if self._parent is not None:
            self._poll.register(self._parent, select.POLLIN)

    def _on_signal(self, number: int, _: object) -> None:
        self._stopping = self._stopping or number != signal.SIGCHLD

    def serve(self) -> None:
        """Returns when the desktop has to end."""
        self._tell_all({"event": "ready", "pid": os.getpid()})
        while not self._stopping:
            for fd, _ in self._poll.poll():
                if fd == self._wakeup:
                    _drain(fd)
                    self._reap()
                elif fd == self._parent:
                    self._stopping = True
                elif fd == self._listener:
                    self._accept(fd)
                elif fd in self._announcing:
                    self._hear(fd)
                elif fd in self._clients:
                    self._receive(fd)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            code = os.waitstatus_to_exitcode(status)
            if pid in self._started:
                self._started.discard(pid)
                _append(self._exits, f"{pid} {code}\n")
            client = self._spawned_by.pop(pid, None)
            if client is not None:  # output of orphans is not read, and may be more than a socket holds
                self._tell(client, {"event": "exit", "pid": pid, "code": code})
            if pid in self._kept and not self._stopping:
                self._start_again(self._kept.pop(pid), code)

    def _start_again(self, request: dict[str, object], code: int) -> None:
        left = int(str(request["again"]))
        ended = f"{_texts(request['argv'])[0]} ended with {f'signal {-code}' if code < 0 else f'exit code {code}'}"
        try:
            if left:
                self._spawn({**request, "again": left - 1})
            told = "was started again" if left else GIVEN_UP
        except OSError as error:
            told = f"{GIVEN_UP}: {error}"
        _append(str(request["notices"]), f"{ended} and {told}\n")

    def _accept(self, listener: int) -> None:
        import socket  # noqa: PLC0415  only a desktop with a second door pays for it

        with socket.socket(fileno=os.dup(listener)) as door:
            try:
                client = door.accept()[0].detach()
            except OSError:
                return
        os.set_blocking(client, False)
        self._clients[client] = b""
        self._poll.register(client, select.POLLIN)

    def _receive(self, fd: int) -> None:
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(fd)
            return
        *lines, self._clients[fd] = (self._clients[fd] + data).split(b"\n")
        for line in lines:
            self._answer(fd, line)

    def _drop(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._clients[fd]
        self._spawned_by = {pid: client for pid, client in self._spawned_by.items() if client != fd}
        os.close(fd)
        if fd == self._lifeline:
            self._stopping = True
        last = self._when_lost.pop(fd, None)
        if last and not self._stopping:
            self._start_last(last)

    def _start_last(self, request: dict[str, object]) -> None:
        """Start what a lost client asked for; nobody is left to hear that it cannot be."""
        try:
            self._spawn(request)
        except OSError:
            return

    def _answer(self, fd: int, line: bytes) -> None:
        operations: dict[str, Callable[[dict[str, object]], dict[str, object]]] = {
            "environment": self._set_environment,
            "spawn": lambda request: self._spawn(request, fd),
            "when_lost": lambda request: self._set_when_lost(request, fd),
            "listen": self._listen,
            "detach": self._detach,
        }
        request = json.loads(line)
        try:
            reply = operations[request["op"]](request)
        except (OSError, KeyError) as error:
            reply = {"error": str(error)}
        self._tell(fd, {"id": request.get("id"), **reply})

    def _set_environment(self, request: dict[str, object]) -> dict[str, object]:
        self._environment = _strings(request["environment"])
        return {}

    def _set_when_lost(self, request: dict[str, object], client: int) -> dict[str, object]:
        self._when_lost.pop(client, None)
        if request["argv"]:
            self._when_lost[client] = request
        return {}

    def _listen(self, request: dict[str, object]) -> dict[str, object]:
        import socket  # noqa: PLC0415  as above

        door = socket.socket(socket.AF_UNIX)
        door.bind(str(request["path"]))
        door.listen()
        door.setblocking(False)
        self._listener = door.detach()
        self._poll.register(self._listener, select.POLLIN)
        return {}

    def _detach(self, _: dict[str, object]) -> dict[str, object]:
        self._lifeline = None
        if self._parent is not None:
            self._poll.unregister(self._parent)
            os.close(self._parent)
            self._parent = None
        return {}

    def _spawn(self, request: dict[str, object], client: int | None = None) -> dict[str, object]:
        hear, announce = os.pipe() if request.get("announce") else (-1, -1)
        log = _open_log(str(request.get("log") or os.devnull))
        try:
            pid = _start(
                [part.replace("{fd}", str(announce)) for part in _texts(request["argv"])],
                self._environment | _strings(request.get("environment") or {}),
                str(request.get("directory") or "/"),
                (log, announce),
                signal.SIGTERM if request.get("mild") else signal.SIGKILL,
            )
        except OSError:
            if hear >= 0:
                os.close(hear)
            raise
        finally:
            os.close(log)
            if announce >= 0:
                os.close(announce)
        if hear >= 0:
            self._announcing[hear] = (pid, b"")
            self._poll.register(hear, select.POLLIN)
        if request.get("notices"):
            self._kept[pid] = request
        if client is not None:
            self._spawned_by[pid] = client
            self._started.add(pid)
        return {"pid": pid}

    def _hear(self, fd: int) -> None:
        pid, so_far = self._announcing[fd]
        data = os.read(fd, 4096)
        so_far += data
        if data and b"\n" not in so_far:
            self._announcing[fd] = (pid, so_far)
            return
        del self._announcing[fd]
        self._poll.unregister(fd)
        os.close(fd)
        self._tell_all({"event": "line", "pid": pid, "line": so_far.partition(b"\n")[0].decode(errors="replace")})

    def _tell_all(self, message: dict[str, object]) -> None:
        for fd in list(self._clients):
            self._tell(fd, message)

    def _tell(self, fd: int, message: dict[str, object]) -> None:
        """A client that is gone or does not read is none: nobody may hold up the reaping."""
        try:
            os.write(fd, json.dumps(message).encode() + b"\n")
        except OSError:
            if fd in self._clients and fd != self._lifeline:
                self._drop(fd)


def _start(
    argv: list[str], environment: dict[str, str], directory: str, ends: tuple[int, int], at_our_death: signal.Signals
) -> int:
    """Starts one program in a session of its own; returns its pid once it runs. Raises: OSError with the reason.

    `ends` are the descriptors it gets: its output, and one it may announce on (-1: none).
    """
    guardian = os.getpid()
    failure, failure_end = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            _leave(guardian, at_our_death)
            _take(*ends)
            os.chdir(directory)
            os.execvpe(argv[0], argv, environment)  # noqa: S606  an argument vector
        except OSError as error:
            os.write(failure_end, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(failure_end)
    reason = os.read(failure, 64)
    os.close(failure)
    if reason:
        os.waitpid(pid, 0)
        raise OSError(f"{argv[0]}: {os.strerror(int(reason))}")
    return pid


def _leave(guardian: int, at_its_death: signal.Signals) -> None:
    """In the forked child: away from the guardian's session and signals, but not from its death."""
    os.setsid()
    _prctl(PR_SET_PDEATHSIG, at_its_death)
    if os.getppid() != guardian:
        os._exit(1)
    for number in signal.valid_signals():  # exec would pass on the signals that the interpreter, or our parent, ignores
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _take(log: int, announce: int) -> None:
    """In the forked child: these and no other descriptors survive exec."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if announce >= 0:
        os.set_inheritable(announce, True)


def _open_log(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _append(path: str, line: str) -> None:
    """Write a notice; without space for it, the desktop goes on without it."""
    try:
        log = _open_log(path)
    except OSError:
        return
    try:
        os.write(log, line.encode())
    except OSError:
        pass
    finally:
        os.close(log)


def descendants(root: int) -> set[int]:
    """The live processes below `root`; zombies are none."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as stat:
                state, parent = stat.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        if state not in b"ZX":
            children.setdefault(int(parent), []).append(int(entry))
    found: set[int] = set()
    open_ends = [root]
    while open_ends:
        below = children.get(open_ends.pop(), [])
        found.update(below)
        open_ends += below
    return found


def end_descendants(grace_s: float = GRACE_S) -> None:
    """Ends every descendant of this process and removes the socket and lock files they leave outside."""
    ours = descendants(os.getpid())
    if not ours:
        return
    sockets = bound_sockets(ours)
    _end(signal.SIGTERM, grace_s, once=True)
    _end(signal.SIGKILL, KILL_S, once=False)
    for path in sockets - set(all_sockets().values()):
        _unlink(path)
    _remove_x_locks(ours)


def _end(number: signal.Signals, deadline_s: float, *, once: bool) -> None:
    deadline = time.monotonic() + deadline_s
    told: set[int] = set()
    while time.monotonic() < deadline:
        _collect_zombies()
        left = descendants(os.getpid())
        if not left:
            return
        for pid in left - told if once else left:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        told |= left
        _wait_for_one(left)


def _wait_for_one(pids: set[int]) -> None:
    """Returns when one of these ended; soon in any case, because they may have forked meanwhile."""
    ends = [end for end in map(_pidfd, pids) if end is not None]
    poll = select.poll()
    for end in ends:
        poll.register(end, select.POLLIN)
    poll.poll(20)
    for end in ends:
        os.close(end)


def _collect_zombies() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def all_sockets() -> dict[bytes, str]:
    """Inode → path of every bound Unix socket that is a file."""
    with open("/proc/net/unix", "rb") as table:
        rows = [line.split(maxsplit=7) for line in table]
    return {row[6]: os.fsdecode(row[7].strip()) for row in rows if len(row) == 8 and row[7].startswith(b"/")}


def bound_sockets(pids: set[int]) -> set[str]:
    """The paths of Unix sockets these processes are bound to."""
    bound = all_sockets()
    paths: set[str] = set()
    for pid in pids:
        try:
            links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        inodes = {link[8:-1].encode() for link in links if link.startswith("socket:[")}
        paths |= {bound[inode] for inode in inodes & bound.keys()}
    return paths


def _remove_x_locks(pids: set[int]) -> None:
    """Removes the lock files of X servers that were killed before they could."""
    for entry in os.scandir("/tmp"):  # noqa: S108  where X servers keep them
        if not (entry.name.startswith(".X") and entry.name.endswith("-lock")):
            continue
        try:
            with open(entry.path, "rb") as lock:
                holder = int(lock.read())
        except (OSError, ValueError):
            continue
        if holder in pids:
            _unlink(entry.path)


def remove(paths: list[str]) -> None:
    """Remove these paths with everything below them.

    File systems mounted there are detached first: one whose program was killed cannot be removed, and removal through a
    working one would remove files of others. Where it cannot be detached, the path stays.
    """
    left = [path for path in paths if os.path.lexists(path)]
    if not left:
        return
    import shutil  # noqa: PLC0415  paid at the end, not at the start

    for path in left:
        remove_document_locks(path)
        for point in mounted_below(path):
            _detach(point)
        if not mounted_below(path):
            _unlink(path)
            shutil.rmtree(path, ignore_errors=True)


def remove_document_locks(directory: str) -> None:
    """Remove the locks of the documents that an office suite had open when it was ended; it does not do so itself.

    Its settings list the documents, some after a second, and so does the desktop; each lock names the profile of its
    owner.
    """
    from html import unescape  # noqa: PLC0415  paid at the end, not at the start
    from urllib.parse import unquote  # noqa: PLC0415

    profile = f"{directory}/{OFFICE_PROFILE}"
    listed = {unquote(unescape(path)) for path in _DOCUMENT.findall(_text_of(f"{profile}/{_SETTINGS}"))}
    listed.update(_text_of(f"{directory}/{DOCUMENTS}").split("\0"))
    for folder in {os.path.dirname(path) for path in listed if path}:
        try:
            locks = [entry.path for entry in os.scandir(folder) if _LOCK.fullmatch(entry.name)]
        except (OSError, ValueError):
            continue
        for lock in locks:
            owner = unquote(_text_of(lock).replace("\\,", ",")).rstrip(";\n")
            if owner.endswith(f"://{profile}"):
                _unlink(lock)


def _text_of(path: str) -> str:
    """The text of a file; empty where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def mounted_below(path: str) -> list[str]:
    """Return the mount points at a path and below it, the last mounted first."""
    folder = os.fsencode(os.path.realpath(path))
    points: list[str] = []
    with open("/proc/self/mountinfo", "rb") as table:
        for line in table:
            # Blanks in a path are written as \040, and so on.
            point = re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), line.split()[4])
            if point == folder or point.startswith(folder + b"/"):
                points.append(os.fsdecode(point))
    return points[::-1]


def _detach(point: str) -> None:
    """Detach a mount: only root may do it alone; `fusermount` does it for the user who mounted."""
    if _umount2(os.fsencode(point), MNT_DETACH | UMOUNT_NOFOLLOW) == 0:
        return
    import shutil  # noqa: PLC0415  paid at the end, not at the start
    import subprocess  # noqa: PLC0415

    tool = shutil.which("fusermount3") or shutil.which("fusermount")
    if tool:
        subprocess.run((tool, "-u", "-z", "-q", "--", point), check=False, stderr=subprocess.DEVNULL)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _pidfd(pid: int) -> int | None:
    """None where the kernel has no pidfds; for a process that is gone, a descriptor that is readable at once."""
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _drain(fd: int) -> None:
    try:
        while os.read(fd, 512):
            pass
    except BlockingIOError:
        pass


def _texts(value: object) -> list[str]:
    return [str(part) for part in value]  # pyright: ignore  JSON: a list by the protocol


def _strings(value: object) -> dict[str, str]:
    return {str(key): str(text) for key, text in value.items()}  # pyright: ignore  JSON: an object by the protocol


def _retitle(title: str) -> None:
    """Shows in `ps` which of the two processes this is, by overwriting our own arguments in memory."""
    with open("/proc/self/stat", "rb") as stat:
        fields = stat.read().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])
    if 0 < start < end:
        ctypes.memmove(start, title.encode()[: end - start - 1].ljust(end - start, b"\0"), end - start)


if __name__ == "__main__":
    main(sys.argv[1:])
