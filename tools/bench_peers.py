"""Times of Deskhand beside Cua Driver 0.37.0, dogtail 2.1.2 and an earlier commit, in turns.

    python -m tools.bench_peers [PART …] [--runs N] [--before COMMIT] [--calls N]

Prints medians of N turns (20) in milliseconds, ratios ours ÷ theirs, and the goals. Parts: `windows`: looks at four
windows from the command line (Cua Driver with its 250 elements) and over MCP (all its elements, no limit of time);
neither takes a picture. `actions`: pointer and keys over MCP, in windows that expose nothing and in one that confirms.
`find`: fifty times finding a button and pressing it. `commands`: of this build and of a commit (62a95c67), each with a
desktop of its own. `costs`: memory and processor time of one command. `resident`: memory of the resident server after
commands. `tools`: tokens of the lists of tools. Needs the packages of [bench] in tools/apt-packages.txt and
`.venv-peers`, which `make bench-peers` brings. Cua Driver reports nothing and looks for no updates (`peers.SILENT`).
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

import anyio
from mcp import Client

from deskhand.core.text import tokens
from tools.bench_demo import checked_out
from tools.bench_observe import APPS, CHROMIUM, OFFICE, PAGE, SYSTEM_PYTHON, pid_behind, sheet
from tools.needed import PYATSPI, end_without
from tools.peers import (
    NO_POINTER,
    ROOT,
    WHOLE,
    WITHOUT_PICTURE,
    Build,
    Window,
    call,
    cua_driver,
    cua_environment,
    cua_served,
    data_of,
    dogtail,
    output,
    session,
    text_of,
)

BEFORE: Final = "62a95c67"
PARTS: Final = ("windows", "actions", "find", "commands", "costs", "resident", "tools")
PAGES: Final = 12
STILL: Final = 4
BUTTON: Final = "Press me"
CHECKBOX: Final = "Check me"
FIFTY: Final = 50
BLOCK: Final = 5
STARTING: Final = 10
GOALS: Final = {
    "Calculator": (0.3, 0.3),
    "Calc": (0.25, 0.25),
    "Writer": (0.15, 0.12),
    "Chromium": (0.15, 0.035),
}
"""Ours ÷ Cua Driver's: from the command line, over MCP."""

COMMAND_GOAL: Final = 0.15
MEMORY_MIB, PROCESSOR_MS, SERVER_MIB, TOKENS = 25, 60, 80, 7000
BLIND_MS, CONFIRMED_MS, CLICK_MS, FIND_MS = 120, 120, 150, 60
METER: Final = """import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, 1, 0)])
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss / 1024, 1000 * (used.ru_utime + used.ru_stime), status)
"""
"""A small process of its own, for what a process used at most includes what its parent had before."""

Way = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Stage:
    """Deskhand and Cua Driver on one desktop; `environment` is that of its programs, `of_cua` Cua Driver's."""

    build: Build
    environment: Mapping[str, str]
    of_cua: Mapping[str, str]
    folder: Path
    ours: Client
    cua: Client
    forms: Sequence[Window]
    """A GTK 3 form for each: ours, Cua Driver's, dogtail's. What another does would be a change by itself."""

    runs: int

    def pressed(self) -> list[int]:
        """Return how often the button of each form was pressed, by the forms' own account."""
        states = [self.folder / f"form{number}.json" for number in range(len(self.forms))]
        return [int(json.loads(state.read_text())["pressed"]) for state in states]


@dataclass(slots=True)
class Ours:
    """Actions over MCP on a window, and the share of them that was confirmed."""

    client: Client
    window: Window
    effects: list[str] = field(default_factory=list[str])

    async def find(self, role: str, name: str) -> str:
        """Return the id of a control."""
        found = text_of(await call(self.client, "find_controls", window=self.window.id, role=role, name=name))
        return str(json.loads(next(row for row in found.splitlines() if row.startswith("[")))[0]["id"])

    async def act(self, tool: str, **arguments: object) -> None:
        said = text_of(await call(self.client, tool, window=self.window.id, **arguments)).splitlines()
        self.effects.append(said[1].partition(" ")[0])

    @property
    def effect(self) -> str:
        return ", ".join(f"{self.effects.count(each)} {each}" for each in sorted(set(self.effects)))


async def milliseconds(way: Way) -> float:
    began = time.perf_counter()
    await way()
    return 1000 * (time.perf_counter() - began)


async def in_turns(runs: int, *ways: Way) -> list[float]:
    """Medians of each way, after one turn to warm up; the order changes from turn to turn."""
    taken: list[list[float]] = [[] for _ in ways]
    for turn in range(runs + 1):
        order = [*zip(ways, taken, strict=True)]
        for way, times in order if turn % 2 else reversed(order):
            took = await milliseconds(way)
            if turn:
                times.append(took)
    return [median(times) for times in taken]


async def in_blocks(runs: int, *ways: Way) -> list[float]:
    """As `in_turns`, of actions: some at a time of each, the first uncounted, for it meets what another way changed."""
    taken: list[list[float]] = [[] for _ in ways]
    for _ in range(0, runs, BLOCK):
        for way, times in zip(ways, taken, strict=True):
            await way()
            for _ in range(BLOCK):
                times.append(await milliseconds(way))
    return [median(times) for times in taken]


def line(name: str, ours: float, *others: tuple[str, float], ratio: float = 0.0, most: float = 0.0) -> str:
    """One row: `ratio` is the goal of ours ÷ the first other, `most` that of ours."""
    words = [f"{name:34} {ours:8.1f}"]
    words += [f"{other} {value:7.1f}, ours ÷ it {ours / value:6.3f}" for other, value in others]
    if ratio:
        words.append(f"goal {ratio:g}: {'met' if ours / others[0][1] <= ratio else 'MISSED'}")
    if most:
        words.append(f"goal {most:g}: {'met' if ours <= most else 'MISSED'}")
    return "  ".join(words)


def document(folder: Path) -> Path:
    """A text of twelve pages."""
    names = ("office", "text", "style")
    spaces = "".join(f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    compatible = "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
    paragraph = "".join(f"<text:p>The quick brown fox, line {number}</text:p>" for number in range(30))
    pages = f'<text:p text:style-name="Page">A page</text:p>{paragraph}' * PAGES
    file = folder / "pages.fodt"
    file.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{spaces} xmlns:fo="{compatible}" '
        'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>'
        '<style:style style:name="Page" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/>'
        f"</style:style></office:automatic-styles><office:body><office:text>{pages}</office:text></office:body>"
        "</office:document>",
        "utf-8",
    )
    return file


def programs(folder: Path) -> dict[str, tuple[object, ...]]:
    """The four windows that are looked at."""
    page = folder / "rows.html"
    page.write_text(PAGE, "utf-8")
    return {
        "Calculator": ("gnome-calculator",),
        "Calc": (OFFICE, "--calc", sheet(folder)),
        "Writer": (OFFICE, "--writer", document(folder)),
        "Chromium": (CHROMIUM, page.as_uri()),
    }


def form(build: Build, folder: Path, number: int = 0) -> Window:
    return build.launch(SYSTEM_PYTHON, APPS / "gtk3_fixture.py", folder / f"form{number}.json")


async def until_still(look: Callable[[], Awaitable[str]]) -> None:
    """Some applications build their tree after their window shows."""
    sizes: list[int] = []
    with anyio.fail_after(60):
        while len(sizes) < STILL or len(set(sizes[-STILL:])) > 1:
            sizes.append(len((await look()).splitlines()))


async def windows(stage: Stage) -> None:
    for name, argv in programs(stage.folder).items():
        window = stage.build.launch(*argv)
        observe = stage.build.argv("observe", "--window", window.id)
        state = [cua_driver(), "call", "get_window_state", json.dumps({**window.of_cua, **WITHOUT_PICTURE})]

        async def look(window: Window = window) -> str:
            return text_of(await call(stage.ours, "observe_window", window=window.id))

        async def cua_look(window: Window = window) -> str:
            return text_of(await call(stage.cua, "get_window_state", **window.of_cua, **WHOLE))

        async def command(observe: list[str] = observe) -> object:
            return output(observe, stage.build.environment)

        async def cua_command(state: list[str] = state) -> object:
            return output(state, stage.of_cua)

        await until_still(look)
        await until_still(cua_look)
        for how, ways, goal in zip(
            ("command line", "MCP"), ((command, cua_command), (look, cua_look)), GOALS[name], strict=True
        ):
            ours, cua = await in_turns(stage.runs, *ways)
            print(line(f"{name}, {how}", ours, ("Cua Driver", cua), ratio=goal), flush=True)
        controls = len(json.loads(output([*observe, "--json"], stage.build.environment))["controls"])
        part = json.loads(output(state, stage.of_cua))
        whole = data_of(await call(stage.cua, "get_window_state", **window.of_cua, **WHOLE))
        rows = len(whole["tree_markdown"].splitlines())
        print(
            f"    ours: {controls} controls, {len((await look()).splitlines()) - 3} lines of them over MCP; "
            f"Cua Driver: {part['returned_element_count']} elements on the command line, "
            f"{whole['returned_element_count']} of {whole['total_element_count']} in {rows} rows over MCP",
            flush=True,
        )


async def actions(stage: Stage) -> None:
    bare = stage.build.launch(sys.executable, APPS / "bare_x11.py", "Bare", 100, 700, 300, 200)
    drawn = stage.build.launch(SYSTEM_PYTHON, APPS / "words_tk.py", stage.folder / "words.json", "light")
    for name, window in (("a bare window", bare), ("a window of drawn texts", drawn)):
        ours = Ours(stage.ours, window)
        taken = await in_blocks(stage.runs, _key(ours), _cua_key(stage, window))
        _acted(f"a key in {name}", ours, taken, BLIND_MS)
    ours = Ours(stage.ours, stage.forms[0])
    await ours.act("click_input", id=await ours.find("textbox", "Name"))
    taken = await in_blocks(stage.runs, _key(ours), _cua_key(stage, stage.forms[1], delivery_mode="foreground"))
    ours.effects.pop(0)
    _acted("a key in a form", ours, taken, CONFIRMED_MS)
    await _clicks(stage)


def _key(ours: Ours) -> Way:
    return lambda: ours.act("keyboard_input", keys="a")


def _cua_key(stage: Stage, window: Window, **more: object) -> Way:
    return lambda: call(stage.cua, "press_key", key="a", **window.of_cua, **more)


def _acted(name: str, ours: Ours, taken: Sequence[float], most: float) -> None:
    print(line(name, taken[0], ("Cua Driver", taken[1]), most=most), f"({ours.effect})", flush=True)


async def _clicks(stage: Stage) -> None:
    """Each clicks a button and a checkbox by turns: a second click at once on one place would be a double click."""
    ours, turn = Ours(stage.ours, stage.forms[0]), 0
    theirs = stage.forms[1].of_cua
    seen = await call(stage.cua, "get_window_state", **theirs, tree_format="elements")
    frames = {each.get("label"): each.get("screenshot_frame") for each in data_of(seen)["elements"]}
    labels = {name: await ours.find(role, name) for role, name in (("button", BUTTON), ("checkbox", CHECKBOX))}

    def next_name() -> str:
        nonlocal turn
        turn += 1
        return (BUTTON, CHECKBOX)[turn % 2]

    async def click() -> None:
        await ours.act("click_input", id=labels[next_name()])

    async def cua_click() -> None:
        frame = frames[next_name()]
        x, y = frame["x"] + frame["w"] // 2, frame["y"] + frame["h"] // 2
        await call(stage.cua, "click", **theirs, x=x, y=y)

    _acted("a click in a form", ours, await in_blocks(stage.runs, click, cua_click), CLICK_MS)


async def find(stage: Stage) -> None:
    ours, before = Ours(stage.ours, stage.forms[0]), stage.pressed()

    async def press() -> None:
        await ours.act("invoke", id=await ours.find("button", BUTTON))

    async def cua_press() -> None:
        asked = {**stage.forms[1].of_cua, **WITHOUT_PICTURE, "query": BUTTON, "tree_format": "elements"}
        elements = data_of(await call(stage.cua, "get_window_state", **asked))["elements"]
        token = next(each["element_token"] for each in elements if each["label"] == BUTTON)
        await call(stage.cua, "click", element_token=token)

    async with dogtail(stage.folder, stage.environment, stage.forms[2].pid, BUTTON) as dogtail_press:
        taken = await in_blocks(FIFTY, press, cua_press, dogtail_press)
    others = ("Cua Driver", taken[1]), ("dogtail", taken[2])
    counted = [after - earlier for after, earlier in zip(stage.pressed(), before, strict=True)]
    told = f"({ours.effect}; the buttons counted {counted} of {len(ours.effects)} presses each)"
    print(line("find a button and press it", taken[0], *others, most=FIND_MS), told, flush=True)


async def costs(stage: Stage) -> None:
    """One command each, ours and Cua Driver's."""
    form = stage.forms[0]
    state = json.dumps({**form.of_cua, **WITHOUT_PICTURE})
    beside = {
        "windows": (stage.build.argv("windows"), [cua_driver(), "call", "list_windows"]),
        "observe": (
            stage.build.argv("observe", "--window", form.id),
            [cua_driver(), "call", "get_window_state", state],
        ),
    }
    for name, (ours, theirs) in beside.items():
        used = _used(ours, stage.build.environment, stage.runs)
        of_cua = _used(theirs, stage.of_cua, stage.runs)
        for what, most, mine, its in zip(
            ("MiB", "ms of processor"), (MEMORY_MIB, PROCESSOR_MS), used, of_cua, strict=True
        ):
            print(line(f"{name}, {what}", mine, ("Cua Driver", its), most=most), flush=True)


def _used(argv: list[str], environment: Mapping[str, str], runs: int) -> tuple[float, float]:
    """Medians of memory in MiB and of processor time in milliseconds."""
    told = [output([SYSTEM_PYTHON, "-IS", "-c", METER, *argv], environment).split() for _ in range(runs)]
    if any(status != "0" for *_, status in told):
        raise RuntimeError(f"{argv} failed")
    return median(float(memory) for memory, _, _ in told), median(float(processor) for _, processor, _ in told)


def resident(stage: Stage, calls: int) -> None:
    """Memory of the desktop's server after commands that it carried out; the first of them start it."""
    socket = f"{stage.environment['XDG_RUNTIME_DIR']}/resident"
    observe = stage.build.argv("observe", "--window", stage.forms[0].id)
    for number in range(calls):
        output(observe, stage.build.environment)
        if number > STARTING and not Path(socket).exists():
            print("resident server: not measured, this build has none")
            return
    print(line(f"resident after {calls} commands, MiB", _resident_mib(pid_behind(f"path={socket}")), most=SERVER_MIB))


def _resident_mib(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmRSS:")) / 1024


async def tools(stage: Stage) -> None:
    """Tokens as everywhere here: a quarter of the bytes, of JSON without spaces."""
    ours, cua = [await _list_of(client) for client in (stage.ours, stage.cua)]
    print(line("tokens of tools/list", tokens(ours), ("Cua Driver", tokens(cua)), most=TOKENS), flush=True)


async def _list_of(client: Client) -> str:
    listed = await client.list_tools()
    return listed.model_dump_json(include={"tools"}, by_alias=True, exclude_none=True)


async def commands(runs: int, folder: Path, before: str) -> None:
    """Builds side by side, from the start of the process to its end."""
    builds = {
        "now": Build(ROOT, folder / "now"),
        before: Build(checked_out(before, folder / "checkout"), folder / "then"),
    }
    with ExitStack() as stack:
        argvs: dict[str, list[list[str]]] = {}
        for name, build in builds.items():
            build.home.mkdir()
            stack.enter_context(build.desktop())
            window = form(build, build.home)
            argvs[name] = [
                build.argv(
                    "act", "invoke", f"id={build.label(window, BUTTON)}", f"name={BUTTON}", "--window", window.id
                ),
                build.argv("windows"),
                build.argv("verify", "--window", window.id, "--role", "button", "--name", BUTTON),
            ]
        for verb, *both in zip(("act invoke", "windows", "verify"), *argvs.values(), strict=True):
            ways = [_ran(argv, build) for argv, build in zip(both, builds.values(), strict=True)]
            now, then = await in_turns(runs, *ways)
            print(line(f"deskhand {verb}", now, (before, then), ratio=COMMAND_GOAL), flush=True)


def _ran(argv: list[str], build: Build) -> Way:
    async def run() -> object:
        return output(argv, build.environment)

    return run


async def main(wanted: Sequence[str], runs: int, before: str, calls: int) -> None:
    print(f"{'medians in milliseconds':34} {'ours':>8}")
    with tempfile.TemporaryDirectory(prefix="deskhand-peers-") as scratch:
        folder = Path(scratch)
        async with AsyncExitStack() as stack:
            build = Build(ROOT, folder / "home")
            build.home.mkdir()
            environment = stack.enter_context(build.desktop())
            of_cua = cua_environment(environment, folder / "cua")
            await stack.enter_async_context(cua_served(of_cua))
            ours = await stack.enter_async_context(session(build.argv("mcp"), build.environment))
            cua = await stack.enter_async_context(session([cua_driver(), "mcp", NO_POINTER], of_cua))
            forms = [form(build, folder, number) for number in range(3)]
            stage = Stage(build, environment, of_cua, folder, ours, cua, forms, runs)
            for part in (windows, actions, find, costs, tools):
                if part.__name__ in wanted:
                    await part(stage)
            if "resident" in wanted:
                resident(stage, calls)
        if "commands" in wanted:
            await commands(runs, folder, before)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART", help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--before", default=BEFORE, metavar="COMMIT")
    parser.add_argument("--calls", type=int, default=1000)
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    end_without("python3-pyatspi", PYATSPI)
    anyio.run(main, given.parts, given.runs, given.before, given.calls)
