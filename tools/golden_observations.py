"""Save observations and effect verdicts of real windows, and compare two such sets.

    python -m tools.golden_observations save DIR [--source CHECKOUT] [--only PATTERN] [--workers N]
    python -m tools.golden_observations compare A B [--lines N] [--ignore FIELD …]

`save` opens each window of `golden_windows` on private desktops and writes one JSON file for each: all fields of its
controls, its compact list, and the result of each step with the compact list after it. Deskhand runs from
`CHECKOUT/src` (default: this checkout), the applications and documents from this checkout. It is addressed through its
command line and its MCP server alone, so that two designs of the source can be compared. The fields that the command
line does not print (fingerprint) come from the file by which `act` finds the ids of `observe` again, where there is
one; `about.json` counts the observations without them. `compare` exits with 1 on any difference.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream

from tools.golden_diff import (
    Record,
    compared,
    control_records,
    describe,
    is_list,
    is_object,
    normalised,
    report,
    without_labels,
)
from tools.golden_windows import BY_ROLE, COMMANDS, ROOT, STATE, Group, Step, Window, groups

SIZE: Final = "1280x900"
CALL_S: Final = 150.0
OPTIONS: Final = ("--json", "--timeout", "90", "--desktop")
"""Options of `launch`: a Java program takes long on a busy machine."""
LONGEST_LINE: Final = 50_000_000
PAUSE_S: Final = 0.2
STABLE: Final = 3
"""So many observations in a row have to agree before one is saved."""
MOST: Final = 40
ENDS_S: Final = 5.0
PRINTED_OTHERWISE: Final = frozenset({"kind", "type", "parent", "application", "sighting"})
"""Stored fields of a control that the command line prints under another name, or that only windows have."""
FENCE: Final = ("<<<UNTRUSTED", "UNTRUSTED>>>")
"""The marks around text from the screen."""
RUNNER: Final = ROOT / "tools" / "golden_runner.py"
UNRESPONSIVE: Final = frozenset({"ApplicationUnresponsive", "ActionDeadline"})
"""Errors of an application that was too slow for a step."""
ABOUT: Final = "about.json"


class NotSaved(Exception):
    """A window could not be saved; the message has the reason."""


@dataclass(slots=True)
class Saved:
    """Counts of what was saved; `skipped` has the windows that were not, with the reason."""

    windows: int = 0
    controls: int = 0
    verdicts: int = 0
    lists: int = 0
    without_fields: int = 0
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def count(self, record: Record) -> None:
        both = record["first"], record["after"]
        self.windows += 1
        self.controls += sum(len(each["controls"]) for each in both)
        self.verdicts += sum("verdict" in step for step in record["steps"])
        self.lists += 3 + len(record["steps"])
        self.without_fields += sum(not each.pop("stored") for each in both)


@dataclass(frozen=True, slots=True)
class Places:
    """The temporary folder of the run and the folder of the saved files."""

    folder: Path
    out: Path


@dataclass(frozen=True, slots=True)
class Source:
    """A checkout whose command line is used, with an environment of its own below `folder`."""

    checkout: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder / "home"),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(self.checkout / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DESKHAND_DESKTOPS": str(self.folder / "desktops"),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }

    async def open(self, *argv: str) -> anyio.abc.Process:
        """A process with this environment, its streams in pipes, out of reach of the terminal's signals."""
        return await anyio.open_process(
            [sys.executable, "-P", *argv],
            env=self.environment,
            cwd=self.folder,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


class Lines:
    """A process that answers JSON lines with JSON lines."""

    def __init__(self, process: anyio.abc.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise NotSaved("a process has no streams")
        self._process = process
        self._to, self._from = process.stdin, BufferedByteReceiveStream(process.stdout)

    async def tell(self, line: Any) -> None:
        await self._to.send(json.dumps(line).encode() + b"\n")

    async def hear(self) -> Any:
        with anyio.fail_after(CALL_S):
            return json.loads(await self._from.receive_until(b"\n", LONGEST_LINE))

    async def end(self) -> None:
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None:
                self._process.terminate()
            await self._process.wait()
            await self._process.aclose()


class CommandLine:
    """The command line of a source, run by `golden_runner`."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def run(self, *arguments: str) -> Any:
        """The JSON that a verb prints. Raises: NotSaved, TimeoutError."""
        await self._lines.tell(arguments)
        answer = await self._lines.hear()
        try:
            printed = json.loads(answer["out"])
        except ValueError as error:
            raise NotSaved(f"{' '.join(arguments[:2])}: {answer['err'].strip()[-300:]}") from error
        if is_object(printed) and printed.get("error"):
            raise NotSaved(f"{' '.join(arguments[:2])}: {printed['error']}")
        return printed


@asynccontextmanager
async def command_line(source: Source) -> AsyncGenerator[CommandLine]:
    lines = Lines(await source.open(str(RUNNER)))
    try:
        yield CommandLine(lines)
    finally:
        await lines.end()


class Server:
    """`deskhand mcp` of one desktop, over its standard streams."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._calls = 0

    async def greet(self) -> None:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "golden", "version": "1"}}
        await self._ask("initialize", hello)
        await self._lines.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, tool: str, **arguments: Any) -> Record:
        """The result of a tool: its text, and its object where it has one."""
        result = (await self._ask("tools/call", {"name": tool, "arguments": arguments})).get("result", {})
        texts = [part["text"] for part in result.get("content", []) if part.get("type") == "text"]
        return {"text": "\n".join(texts), "object": result.get("structuredContent")}

    async def _ask(self, method: str, parameters: Mapping[str, Any]) -> Record:
        self._calls += 1
        await self._lines.tell({"jsonrpc": "2.0", "id": self._calls, "method": method, "params": parameters})
        while True:
            answer = await self._lines.hear()
            if answer.get("id") == self._calls:
                return answer


@dataclass(frozen=True, slots=True)
class Desktop:
    """A private desktop with its server."""

    line: CommandLine
    name: str
    state_home: Path
    server: Server

    async def windows(self) -> list[Record]:
        return _fenced_json((await self.server.call("get_desktop_app_target_info"))["text"]) or []

    async def observe(self, window: str, first: Mapping[str, str]) -> Record:
        """A fresh observation of another process: all controls and the compact list."""
        seen = await self.line.run("observe", "--desktop", self.name, "--window", window, "--json", "--final")
        if "controls" not in seen:
            raise NotSaved(f"observe: {seen}")
        stored = self._stored(seen["window"]["id"])
        rest = {key: value for key, value in seen.items() if key not in ("controls", "text")}
        controls = control_records(seen["controls"], stored, first)
        ids = {str(control["id"]): describe(control) for control in seen["controls"]}
        return rest | {"controls": controls, "list": without_labels(seen["text"]), "ids": ids, "stored": bool(stored)}

    def _stored(self, window: str) -> list[Record]:
        """The controls as `act` finds them again; empty where no file has them."""
        for file in sorted(self.state_home.rglob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True):
            stored = json.loads(file.read_bytes())
            if is_object(stored) and stored.get("window", {}).get("handle") == window and "controls" in stored:
                controls: list[Record] = stored["controls"]
                return [{key: each[key] for key in each.keys() - PRINTED_OTHERWISE} for each in controls]
        return []

    async def stable_list(self, window: str) -> list[str]:
        """The compact list of the server once several in a row agree, or the latest."""
        lists: list[list[str]] = []
        for _ in range(MOST):
            lists.append(await self.list(window))
            if len(lists) >= STABLE and all(each == lists[-1] for each in lists[-STABLE:]):
                break
            await self.pause()
        return lists[-1]

    async def list(self, window: str) -> list[str]:
        """The compact list of the server, which caches what did not change."""
        answer = await self.server.call("observe_window", window=window)
        return [line for line in without_labels(answer["text"]) if not line.startswith(FENCE)]

    async def pause(self) -> None:
        await self.server.call("wait", seconds=PAUSE_S)


def _fenced_json(text: str) -> Any:
    """The JSON between the marks of untrusted text; None where there is none."""
    lines = [line for line in text.splitlines() if not line.startswith(FENCE)]
    try:
        return json.loads("\n".join(lines))
    except ValueError:
        return None


@asynccontextmanager
async def desktop_of(source: Source, group: Group) -> AsyncGenerator[Desktop]:
    """A desktop with its server; ended afterwards with all that runs there, however this ends."""
    async with command_line(source) as line:
        started = await line.run("desktop", "start", group.name, "--size", SIZE, "--json")
        state = started["env"].get("XDG_STATE_HOME", f"{started['env']['HOME']}/.local/state")
        lines = Lines(await source.open("-m", "deskhand", "mcp", "--desktop", group.name))
        try:
            server = Server(lines)
            await server.greet()
            yield Desktop(line, group.name, Path(state) / "deskhand", server)
        finally:
            await lines.end()
            with anyio.CancelScope(shield=True):
                async with command_line(source) as last:
                    await last.run("desktop", "stop", group.name, "--json")


async def save_group(source: Source, group: Group, out: Path, saved: Saved) -> None:
    """Saves the windows of a group, one after the other."""
    places = Places(source.folder, out)
    try:
        async with desktop_of(source, group) as desktop:
            for window in group.windows:
                await _save_or_skip(desktop, window, places, saved, ends=group.ends)
    except (NotSaved, TimeoutError, anyio.EndOfStream, anyio.BrokenResourceError) as error:
        for window in group.windows:
            if not (out / f"{window.name}.json").exists() and window.name not in saved.skipped:
                _skip(saved, window, error)


async def _save_or_skip(desktop: Desktop, window: Window, places: Places, saved: Saved, *, ends: bool) -> None:
    """Saves a window; once more where the application was too slow, as on a busy machine."""
    for last in (False, True):
        try:
            await _save_window(desktop, window, places, saved, ends=ends)
        except (NotSaved, TimeoutError) as error:
            if last:
                _skip(saved, window, error)
        else:
            return


def _skip(saved: Saved, window: Window, error: Exception) -> None:
    saved.skipped[window.name] = f"{type(error).__name__}: {error}"
    print(f"{window.name}: not saved: {error}", flush=True)


async def _save_window(desktop: Desktop, window: Window, places: Places, saved: Saved, *, ends: bool) -> None:
    """Raises: NotSaved, TimeoutError."""
    folder = places.folder
    began = time.monotonic()
    with Pipe(folder / f"{window.name}.commands") as pipe:
        given = {STATE: str(folder / f"{window.name}.json"), COMMANDS: str(pipe.path)}
        command = [given.get(argument, argument) for argument in window.command]
        before = {each["id"] for each in await desktop.windows()}
        launched = await desktop.line.run("launch", *OPTIONS, desktop.name, "--", *command)
        opened = await _opened(desktop, window, before - {launched["id"]})
        try:
            record = await _record(desktop, window, opened["id"], pipe)
        finally:
            if ends:
                await _end_application(desktop, opened)
    saved.count(record)
    text = json.dumps(normalised(record, str(folder)), indent=1, ensure_ascii=False)
    (places.out / f"{window.name}.json").write_text(text + "\n", encoding="utf-8")
    print(
        f"{window.name:28} {len(record['first']['controls']):4} controls {time.monotonic() - began:5.1f} s", flush=True
    )


async def _opened(desktop: Desktop, window: Window, before: set[str]) -> Record:
    """The new window with this title. Raises: NotSaved."""
    found: list[Record] = []
    for _ in range(MOST):
        found = [each for each in await desktop.windows() if each["id"] not in before]
        named = [each for each in found if window.title in each["title"]]
        if named:
            return named[0]
        await desktop.pause()
    raise NotSaved(f"no window {window.title!r} among {[each['title'] for each in found]}")


async def _end_application(desktop: Desktop, opened: Record) -> None:
    """Ends an application and waits until its windows are gone."""
    with suppress(ProcessLookupError):
        os.kill(opened["pid"], signal.SIGKILL)
    with anyio.move_on_after(ENDS_S):
        while any(each["pid"] == opened["pid"] for each in await desktop.windows()):
            await desktop.pause()


async def _record(desktop: Desktop, window: Window, handle: str, pipe: "Pipe") -> Record:
    """Everything that is saved of a window. Raises: NotSaved (the application did not answer in time)."""
    listed = await desktop.stable_list(handle)
    first = await desktop.observe(handle, {})
    enabled = {describe(control) for control in first["controls"] if "enabled" in control["states"]}
    steps: list[Record] = []
    for step in (*BY_ROLE, *window.steps):
        made = await _step(desktop, handle, step, enabled)
        steps += [made] if made else []
    for change, section in window.changes:
        pipe.change(change, section)
        steps.append({"do": f"{change} in {section}", "list": await desktop.stable_list(handle)})
    after = await desktop.observe(handle, first["ids"])
    if first["truncated"] or after["truncated"]:
        raise NotSaved(f"truncated: {first['truncated'] or after['truncated']}")
    del first["ids"], after["ids"]
    return {"first": first, "cached list": listed, "steps": steps, "after": after}


async def _step(desktop: Desktop, window: str, step: Step, enabled: set[str]) -> Record | None:
    """The verdict of a step and the compact list after it; None where the window has no such control.

    `enabled`: descriptions of the controls that were enabled at first.
    """
    arguments = dict(step.arguments)
    title = step.title
    if step.role:
        found = _fenced_json((await desktop.server.call("find_controls", window=window, role=step.role))["text"])
        target = _target(found, step, enabled)
        if target is None:
            return None
        arguments["id"] = target["id"]
        title = f"{step.title} on {describe(target)}"
    answer = await desktop.server.call(step.tool, window=window, **arguments)
    if any(error in answer["text"] for error in UNRESPONSIVE):
        raise NotSaved(f"{title}: {answer['text'][:200]}")
    record: Record = {"do": title, "verdict": answer["object"] or _fenced_json(answer["text"]) or answer["text"]}
    record["list"] = await (desktop.stable_list if step.then else desktop.list)(window)
    if step.then:
        await desktop.server.call("keyboard_input", window=window, keys=step.then)
    return record


def _target(found: Any, step: Step, enabled: set[str]) -> Record | None:
    """The enabled control that is meant."""
    controls: list[Record] = found if is_list(found) else []
    fitting = [each for each in controls if each["role"] == step.role and describe(each) in enabled]
    return next((each for each in fitting[step.index :] if step.name in ("", each["name"])), None)


class Pipe:
    """The pipe through which a fixture receives its changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._end = -1
        self._seed = 0

    def __enter__(self) -> "Pipe":
        for path in (self.path, self.path.with_suffix(".json")):
            path.unlink(missing_ok=True)
        os.mkfifo(self.path)
        self._end = os.open(self.path, os.O_RDWR)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._end)

    def change(self, change: str, section: str) -> None:
        """Sends a change of the first control of a section, by the fixture's own file."""
        state = json.loads(self.path.with_suffix(".json").read_bytes())
        target = next((name for name, each in state["controls"].items() if each["section"] == section), "")
        self._seed += 1
        line = json.dumps({"do": change, "target": target, "seed": self._seed})
        os.write(self._end, line.encode() + b"\n")


async def save(out: Path, checkout: Path, only: str, workers: int) -> Saved:
    """Saves all windows whose group or name fits `only`, several groups at a time."""
    saved = Saved()
    with tempfile.TemporaryDirectory(prefix="golden-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "home").mkdir()
        source = Source(checkout, folder)
        wanted = [_only(group, only, saved) for group in groups(folder)]
        limit = anyio.CapacityLimiter(workers)

        async def one(group: Group) -> None:
            async with limit:
                await save_group(source, group, out, saved)

        try:
            async with anyio.create_task_group() as tasks:
                for group in wanted:
                    if group.windows:
                        tasks.start_soon(one, group)
        finally:
            with anyio.CancelScope(shield=True):
                async with command_line(source) as line:
                    await line.run("desktop", "stop", "--all", "--json")
    return saved


def _only(group: Group, pattern: str, saved: Saved) -> Group:
    """The group without the windows that are not asked for or whose program is missing."""
    chosen = [window for window in group.windows if fnmatchcase(window.name, pattern)]
    missing = [window for window in chosen if window.needs.startswith("/") and not Path(window.needs).exists()]
    saved.skipped |= {window.name: f"{window.needs} is missing" for window in missing}
    return Group(group.name, tuple(window for window in chosen if window not in missing), group.ends)


async def _save_until_stopped(out: Path, checkout: Path, only: str, workers: int) -> Saved | None:
    """None where a signal stopped it; everything is ended by then."""
    saved: list[Saved] = []
    async with anyio.create_task_group() as tasks:

        async def work() -> None:
            saved.append(await save(out, checkout, only, workers))
            tasks.cancel_scope.cancel()

        tasks.start_soon(work)
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                tasks.cancel_scope.cancel()
                break
    return saved[0] if saved else None


def _about(checkout: Path, saved: Saved, seconds: float) -> Record:
    """The checkout and the counts; `compare` does not read it."""
    commit = subprocess.run(
        ["git", "-C", str(checkout), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return {
        "commit": commit.stdout.strip() or checkout.name,
        "seconds": round(seconds),
        "windows": saved.windows,
        "controls": saved.controls,
        "verdicts": saved.verdicts,
        "lists": saved.lists,
        "observations without stored fields": saved.without_fields,
        "not saved": saved.skipped,
    }


def read_windows(folder: Path) -> dict[str, Record]:
    """The saved windows of a folder, by name."""
    return {file.stem: json.loads(file.read_bytes()) for file in folder.glob("*.json") if file.name != ABOUT}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    saving = verbs.add_parser("save")
    saving.add_argument("out", type=Path)
    saving.add_argument("--source", type=Path, default=ROOT)
    saving.add_argument("--only", default="*", help="shell pattern of window names")
    saving.add_argument("--workers", type=int, default=2)
    comparing = verbs.add_parser("compare")
    comparing.add_argument("a", type=Path)
    comparing.add_argument("b", type=Path)
    comparing.add_argument("--lines", type=int, default=12, help="differences shown of each window")
    comparing.add_argument("--ignore", nargs="*", default=[], metavar="FIELD")
    chosen = parser.parse_args(arguments)
    if chosen.verb == "save":
        return _save(chosen.out, chosen.source, chosen.only, chosen.workers)
    found = compared(read_windows(chosen.a), read_windows(chosen.b), chosen.ignore)
    print("\n".join(report(found, lines=chosen.lines)))
    return 1 if any(not difference.unstable for difference in found) else 0


def _save(out: Path, checkout: Path, only: str, workers: int) -> int:
    began = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    for file in out.glob("*.json"):
        if file.name != ABOUT and fnmatchcase(file.stem, only):
            file.unlink()
    saved = anyio.run(_save_until_stopped, out, checkout.resolve(), only, workers)
    if saved is None:
        print("stopped")
        return 130
    about = _about(checkout, saved, time.monotonic() - began)
    if only == "*":
        (out / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(about, indent=1))
    return 0 if saved.windows and not saved.skipped else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
