"""Sessions on real applications, killed at a random write of their journal, and resumed: `make sweep-resume`.

The task works in Writer, Calc and a GTK program, on private and named desktops in turns. The session is killed; or,
while it runs, one of those below it: the X server, the server of its named desktop, LibreOffice in mid-save, the GTK
program. Then it is resumed, unless it has ended by itself. The saved documents, read with zipfile, and the program's
own file must have each effect at most once, a success all of them. DESKHAND_TRIALS is the number of trials (24), the
argument the seed (39) or `SEED:NUMBER`, one of them. Prints a line for each, then counts; exit code 1 if one is wrong.
A trial takes half a minute: run one sweep at a time.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final
from xml.etree import ElementTree

from deskhand.cli.app import run as run_command
from deskhand.core.events import Event
from deskhand.store.journal import Journal
from tests.documents import Text, write_odt
from tests.spreadsheets import Sheet, read_ods, write_ods
from tools.orphans import adopt_orphans, end_orphans, reap_until_done

DEADLINE_S: Final = 180.0
WRITES: Final = 300
"""The number of writes of the journal of a whole run, roughly; `ACTIONS`: of its actions."""
ACTIONS: Final = 13
BOOK: Final = """\
playbook: 1
name: three-applications
host:
  - {on: {role: window, name: "/Writer$/"}, status: ASSIGN, agent: writer, subtask: Write the letter}
  - {on: {role: window, name: "/Calc$/"}, status: ASSIGN, agent: calc, subtask: Fill the table}
  - {on: {role: window, name: Register}, status: ASSIGN, agent: register, subtask: Register it}
  - {status: FINISH, result: All three are done}
agents:
  writer:
    - {tool: set_edit_text, on: {role: paragraph, value: Salutation}, args: {text: Dear Ada}}
    - {tool: save_document, expect: {effect: confirmed}}
    - {tool: set_edit_text, on: {role: paragraph, value: Body}, args: {text: The table is done.}}
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}s"}}
    - {status: FINISH}
  calc:
    - {tool: write_table, args: {start: A1, rows: [[Town, Units], [Bonn, "1"]]}, expect: {effect: confirmed}}
    - {tool: write_table, args: {start: A3, rows: [[Rome, "2"]]}, expect: {effect: confirmed}}
    - {tool: save_document, expect: {effect: confirmed}}
    - {status: FINISH}
  register:
    - {tool: set_edit_text, on: {role: textbox, name: Entry}, args: {text: letter}}
    - {tool: invoke, on: {role: button, name: Add}, expect: {shows: {role: label, name: 1 added}}}
    - {tool: invoke, on: {role: checkbox, name: Final}}
    - {status: FINISH}
"""
PROGRAM: Final = """\
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk

log = Path(sys.argv[1])
log.touch()
window = Gtk.Window(title="Register")
window.connect("destroy", Gtk.main_quit)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window.add(box)
entry = Gtk.Entry()
entry.get_accessible().set_name("Entry")
button, final, added = Gtk.Button(label="Add"), Gtk.CheckButton(label="Final"), Gtk.Label()


def write(line):
    with log.open("a") as file:
        file.write(line + "\\n")
    count = log.read_text().splitlines().count("Add letter")
    added.set_text(f"{count} added")


write("started")
button.connect("clicked", lambda _: write("Add " + entry.get_text()))
final.connect("toggled", lambda it: write(f"Final {it.get_active()}"))
for each in (entry, button, final, added):
    box.pack_start(each, False, False, 4)
window.show_all()
Gtk.main()
"""
LETTER: Final = ["Dear Ada", "The table is done."]
TABLE: Final = {"A1": "Town", "B1": "Units", "A2": "Bonn", "B2": "1", "A3": "Rome", "B3": "2"}
REGISTER: Final = ["Add letter", "Final True"]
VICTIMS: Final = {
    "session": "",
    "X server": "Xvfb",
    "LibreOffice": "soffice.bin",
    "register": "register.py",
    "desktop's server": "deskhand.resident",
}
"""A part of the command line of each process that may be killed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One point. `kind` "": any event counts. `delay_s`: the victim is killed so long after it."""

    number: int
    victim: str
    desktop: str
    write: int
    kind: str = ""
    when: str = "after"
    delay_s: float = 0.0

    @property
    def name(self) -> str:
        late = f" + {self.delay_s * 1e3:.0f} ms" if self.delay_s else ""
        return (
            f"{self.number:3} {self.victim:16} {self.desktop:7} {self.when} {self.kind or 'write'} {self.write}{late}"
        )


@dataclass(slots=True)
class Told:
    """The result of a trial. `ends`: outcomes of the run and of the resumption; `wrong` is empty where all is well."""

    ends: list[str] = field(default_factory=list[str])
    reason: str = ""
    wrong: list[str] = field(default_factory=list[str])


def trials(seed: int, count: int) -> list[Trial]:
    random = Random(seed)
    made: list[Trial] = []
    for number in range(count):
        desktop = ("private", "named")[number % 2]
        victim = "session" if number % 3 else random.choice([name for name in VICTIMS if name != "session"])
        desktop = "named" if victim == "desktop's server" else desktop
        write, when = random.randrange(2, WRITES), random.choice(["before", "after"])
        if victim == "session":
            kind = random.choice(["", "action_intended", "action_finished", "step_remembered"])
            write = random.randrange(1, ACTIONS + 1) if kind else write
            made.append(Trial(number, victim, desktop, write, kind, when=when))
        elif victim == "LibreOffice":  # saves are the 3rd, 5th and 9th of its intents
            made.append(
                Trial(
                    number, victim, desktop, random.choice([3, 5, 9]), "action_intended", delay_s=random.uniform(0, 0.3)
                )
            )
        else:
            made.append(Trial(number, victim, desktop, write, delay_s=random.uniform(0, 0.05)))
    return made


def processes(mark: str, command: str) -> list[int]:
    """The processes with a mark in their environment whose command line has a text."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_it = (
                mark.encode() in (folder / "environ").read_bytes()
                and command.encode() in (folder / "cmdline").read_bytes()
            )
        except OSError:  # gone, or another user's
            continue
        if is_it and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found


def child(point: str, arguments: Sequence[str]) -> int:
    """Carry out a command line of Deskhand whose session, or a process below it, is killed at a write."""
    told = json.loads(point)
    left, emit = told["write"], Journal.emit

    def kill() -> None:
        if told["victim"] == "session":
            os.kill(os.getpid(), signal.SIGKILL)
        for pid in processes(told["mark"], VICTIMS[told["victim"]]):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            Path(told["done"]).write_text(str(pid))

    def watched(self: Journal, event: Event) -> None:
        nonlocal left
        counts = told["kind"] in {"", event.kind}
        left -= counts
        if counts and left == 0 and told["when"] == "before":
            kill()
        emit(self, event)
        if counts and left == 0 and told["when"] == "after":
            threading.Timer(told["delay_s"], kill).start() if told["delay_s"] else kill()

    Journal.emit = watched  # only here: the product has no such hook
    return run_command(arguments)


class Place:
    """The folders, documents and environment of one trial."""

    def __init__(self, folder: Path, private: Path) -> None:
        folder.mkdir(parents=True)
        self.folder, self.out, self.log = folder, folder / "out", folder / "register.log"
        self.letter = write_odt(folder / "letter.odt", Text("Salutation"), Text("Body"))
        self.table = write_ods(folder / "table.ods", Sheet(filled=(0, 0)))
        (folder / "three.yaml").write_text(BOOK)
        (folder / "register.py").write_text(PROGRAM)
        (folder / "config.yaml").write_text(
            json.dumps(
                {
                    "applications": {
                        "register": {"argv": ["/usr/bin/python3", str(folder / "register.py"), str(self.log)]}
                    }
                }
            )
        )
        for name in ("tmp", "run", "state", "home"):
            (private / name).mkdir(mode=0o700)
        self.private = private
        names = {"TMPDIR": "tmp", "XDG_RUNTIME_DIR": "run", "XDG_STATE_HOME": "state", "HOME": "home"}
        self.environment = {**os.environ, **{name: str(private / path) for name, path in names.items()}}

    def deskhand(
        self, *arguments: object, point: Mapping[str, object] | None = None
    ) -> tuple[int, dict[str, Any], str]:
        """Run a command to its end. Returns exit code, JSON and stderr."""
        start = ("-m", "tools.sweep_resume", "--child", json.dumps(point)) if point else ("-m", "deskhand")
        command = [sys.executable, *start, *map(str, arguments)]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            it = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            stop = threading.Timer(DEADLINE_S, it.kill)
            stop.start()
            _, code = reap_until_done((it.pid,))
            stop.cancel()
            for file in (out, err):
                file.seek(0)
            text, errors = out.read(), err.read()
        return code, json.loads(text) if text.startswith("{") else {}, errors


def carried_out(trial: Trial, folder: Path) -> Told:
    with tempfile.TemporaryDirectory(prefix="sweep-", ignore_cleanup_errors=True) as private:
        place, told = Place(folder, Path(private)), Told()
        name = "sweep" if trial.desktop == "named" else "virtual"
        if trial.desktop == "named":
            place.deskhand("desktop", "start", name)
            place.deskhand("windows", "--desktop", name)  # which starts its server
        try:
            _run(trial, place, name, told)
        finally:
            place.deskhand("desktop", "stop", "--all")
        told.wrong += (f"left running: {process}" for process in end_orphans())
        return told


def _run(trial: Trial, place: Place, desktop: str, told: Told) -> None:
    done = place.folder / "killed"
    point = {
        "victim": trial.victim,
        "write": trial.write,
        "kind": trial.kind,
        "when": trial.when,
        "delay_s": trial.delay_s,
        "mark": str(place.private),
        "done": str(done),
    }
    options = (
        "--file",
        place.letter,
        "--file",
        place.table,
        "--app",
        "register",
        "--config",
        place.folder / "config.yaml",
        "--playbook",
        place.folder / "three.yaml",
        "--confirm",
        "never",
    )
    code, report, errors = place.deskhand(
        "run", "Do it", *options, "--desktop", desktop, "--out", place.out, "--json", point=point
    )
    if code == -signal.SIGKILL:
        told.ends.append("killed")
    else:
        told.ends.append(str(report.get("outcome")))
        told.reason = str(report.get("reason"))
        if trial.victim == "session" or not done.exists():
            told.ends.append("nothing was killed")
        _check(code, report, errors, place, told)
        if trial.desktop == "private" and (left := processes(str(place.private), "")):
            told.wrong.append(f"left running after the run: {[_command(pid) for pid in left]}")
    if trial.victim == "X server" and trial.desktop == "named":
        place.deskhand("desktop", "stop", desktop)
        place.deskhand("desktop", "start", desktop)
    goes_on = code == -signal.SIGKILL or "deskhand resume" in errors
    code, report, errors = place.deskhand("resume", place.out, "--json")
    error: Mapping[str, Any] = report.get("error") or {}
    if "has ended" in str(error.get("message")):
        told.ends.append("ended")
        told.wrong += ["it can be resumed, and was refused"] if goes_on else []
        return
    told.ends.append(str(report.get("outcome")))
    told.reason = str(report.get("reason")) or str(error)
    _check(code, report, errors, place, told)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:80]
    except OSError:
        return ""


def _check(code: int, report: Mapping[str, Any], errors: str, place: Place, told: Told) -> None:
    """Note what must not be: an effect twice, a broken document, a success without all effects, an unexplained end."""
    try:
        letter, table, register = _letter(place), _table(place), _register(place)
    except (OSError, zipfile.BadZipFile, ElementTree.ParseError, KeyError) as error:
        told.wrong.append(f"a document is not whole: {error!r}")
        return
    outcome = report.get("outcome")
    if outcome == "success" and (letter, table, register) != (LETTER, TABLE, REGISTER):
        told.wrong.append(f"success with {letter} {table} {register}")
    for text, first in zip(letter, ("Salutation", "Body"), strict=True) if len(letter) == 2 else ():
        if text not in {first, *LETTER}:
            told.wrong.append(f"the letter has {letter}")
    if len(letter) != 2 or not table.items() <= TABLE.items() or register != REGISTER[: len(register)]:
        told.wrong.append(f"an effect came twice, or a wrong one: {letter} {table} {register}")
    if outcome not in {"success", "failed", "error"} or (outcome != "success" and not report.get("reason")):
        told.wrong.append(f"exit {code} without an end in words: {report or errors[-300:]}")
    if "Traceback" in errors or "defect of Deskhand" in errors:
        told.wrong.append(f"a bug: {errors[-500:]}")


def _opened(place: Place, name: str) -> Path:
    copy = place.out / "log" / "documents" / name
    return copy if copy.exists() else place.folder / name


def _letter(place: Place) -> list[str]:
    with zipfile.ZipFile(_opened(place, "letter.odt")) as archive:
        if (bad := archive.testzip()) is not None:
            raise zipfile.BadZipFile(bad)
        tree = ElementTree.fromstring(archive.read("content.xml"))
    return ["".join(p.itertext()) for p in tree.iter("{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p")]


def _table(place: Place) -> dict[str, str]:
    return {name: cell.text for name, cell in read_ods(_opened(place, "table.ods")).items() if cell.text}


def _register(place: Place) -> list[str]:
    lines = place.log.read_text().splitlines() if place.log.exists() else []
    return [line for line in lines if line != "started"]


def main(arguments: Sequence[str]) -> int:
    adopt_orphans()
    seed, _, only = (arguments[0] if arguments else "39").partition(":")
    meant = trials(int(seed), int(os.environ.get("DESKHAND_TRIALS", "24")))
    counts, wrong = Counter[str](), 0
    scratch = tempfile.mkdtemp(prefix="deskhand-sweep-")
    for trial in [each for each in meant if not only or each.number == int(only)]:
        began = time.monotonic()
        told = carried_out(trial, Path(scratch) / str(trial.number))
        wrong += bool(told.wrong)
        ends = " → ".join(told.ends)
        counts[f"{trial.victim}, {trial.desktop}: {ends}"] += 1
        print(f"{trial.name}: {ends}, {time.monotonic() - began:.0f} s  {told.reason}", flush=True)
        for line in told.wrong:
            print(f"    WRONG: {line}", flush=True)
    print("\n".join(f"{number:4} {name}" for name, number in sorted(counts.items())))
    print(f"{wrong} of {sum(counts.values())} wrong; logs in {scratch}")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        raise SystemExit(child(sys.argv[2], sys.argv[3:]))
    raise SystemExit(main(sys.argv[1:]))
