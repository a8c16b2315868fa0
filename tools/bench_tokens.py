"""How many tokens a model is sent for a window, beside two other ways of telling it the same controls.

    python -m tools.bench_tokens [--text FOLDER] [WINDOW …]

`list`: the compact list within its budget; `task` the same for "sort the rows by Region and save the document", as
prompts have it; `whole`: without a budget. `walk`: what a test tool's walk collects
of each control (name, role, states, extents, text), as JSON. `xml`: the form of benchmark servers, elements nested, an
attribute for each state, place and action. Both are made of the controls of this very observation, which are only those
that show; their own walks go through the whole tree. Tokens are a quarter of the bytes, as everywhere here.
`changes` is what a second look adds once something was typed.
Needs the packages of [bench] in tools/apt-packages.txt, which `make bench-tokens` brings; what is missing is said.
"""

import argparse
import json
import shutil
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final

import anyio

from deskhand.core.model import TextPart
from deskhand.core.observation import Observation
from deskhand.core.replies import AppAgentResponse
from deskhand.core.target import TargetInfo
from deskhand.core.text import tokens
from deskhand.desktop.linux.desktop import open_linux
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.prompts import MessageConstructor
from deskhand.prompts.constructor import changes
from deskhand.session.applications import BUILT_IN
from tools.app_request import app_request
from tools.bench_observe import PAGE, SAMPLE, sheet

STILL: Final = 4
TASK: Final = "sort the rows by Region and save the document"
NAMESPACES: Final = {
    "st": "https://accessibility.example/ns/state",
    "cp": "https://accessibility.example/ns/component",
    "act": "https://accessibility.example/ns/action",
    "val": "https://accessibility.example/ns/value",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A window; `keys` change something in it. `needs` is a program without which it is not looked at."""

    name: str
    application: Application
    file: Path | None
    needs: str
    keys: tuple[Chord, ...]


def subjects(folder: Path) -> list[Subject]:
    note, page = folder / "note.txt", folder / "rows.html"
    note.write_text("Hello\nworld\n", "utf-8")
    page.write_text(PAGE, "utf-8")
    writer, calc = BUILT_IN[:2]
    letter, down = (Chord("x"),), (Chord("enter"), Chord("down"))
    gedit = Application("gedit", ("gedit",), ("gedit", "{file}"))
    chromium = Application("chromium", ("chromium", page.as_uri()))
    return [
        Subject("gedit", gedit, note, "gedit", letter),
        Subject("calc", calc, None, "soffice", down),
        Subject("cells", calc, sheet(folder), "soffice", down),
        Subject("writer", writer, SAMPLE, "soffice", letter),
        Subject("chromium", chromium, None, "chromium", (Chord("tab"),)),
    ]


def as_walk(controls: Sequence[TargetInfo]) -> str:
    """A JSON object a control."""
    return "\n".join(
        json.dumps(
            {
                "name": control.name,
                "role": control.raw_role,
                "states": sorted(control.states),
                "extents": control.rect.to_list(),
                "text": control.value,
            },
            ensure_ascii=False,
        )
        for control in controls
    )


def as_xml(controls: Sequence[TargetInfo]) -> str:
    """Nested elements named by the role, with everything as attributes."""
    for prefix, uri in NAMESPACES.items():
        ET.register_namespace(prefix, uri)
    root = ET.Element("desktop-frame")
    made = {"": root}
    for control in controls:
        attributes = {"name": control.name}
        attributes |= {f"{{{NAMESPACES['st']}}}{state}": "true" for state in sorted(control.states)}
        place = control.rect
        attributes[f"{{{NAMESPACES['cp']}}}screencoord"] = f"({place.left}, {place.top})"
        attributes[f"{{{NAMESPACES['cp']}}}size"] = f"({place.width}, {place.height})"
        for action in control.actions:
            attributes[f"{{{NAMESPACES['act']}}}{action}_desc"] = ""
            attributes[f"{{{NAMESPACES['act']}}}{action}_kb"] = ""
        parent = made.get(control.parent, root)
        element = ET.SubElement(parent, (control.raw_role or "unknown").replace(" ", "-"), attributes)
        element.text = control.value
        made.setdefault(control.handle, element)
    return ET.tostring(root, "unicode")


async def until_still(desktop: Desktop, window: TargetInfo) -> Observation:
    """Some applications build their tree after their window shows."""
    sizes: list[int] = []
    with anyio.fail_after(30):
        while True:
            await desktop.settle(window)
            seen = await desktop.observe(window, picture=False)
            sizes.append(len(seen.controls))
            if len(sizes) >= STILL and len(set(sizes[-STILL:])) == 1:
                return seen


async def measure(subject: Subject, folder: Path, texts: Path | None) -> str:
    virtual = await start_virtual(f"tokens-{subject.name}", root=folder / "desktops")
    desktop = await open_linux(virtual)
    try:
        window = await desktop.launch(subject.application, subject.file, deadline_s=40)
        first = await until_still(desktop, window)
        await desktop.activate(window)
        await desktop.press(subject.keys)
        second = await until_still(desktop, window)
    finally:
        await desktop.close()
    labeller = Labeller(cells_by_address=True)
    before, labelled = labeller.label(first), labeller.label(second)
    controls = Labeller().label(second)
    began = perf_counter()
    listed = compact(controls)
    took = (perf_counter() - began) * 1000
    request = app_request(second.window, labelled, before)
    walk, xml = as_walk(controls), as_xml(controls)
    if texts is not None:
        for name, text in (("list", listed.text), ("walk", walk), ("xml", xml), ("changes", changes(request))):
            (texts / f"{subject.name}.{name}").write_text(text, "utf-8")
    messages = MessageConstructor("app", AppAgentResponse).messages(request, "")
    system, user = (sum(tokens(p.text) for p in m.parts if isinstance(p, TextPart)) for m in messages)
    whole, changed = compact(controls, budget=None).tokens, tokens(changes(request))
    told = compact(labelled, task=TASK).tokens
    others = "  ".join(
        f"{name} {tokens(text):6} = {tokens(text) / listed.tokens:5.1f} times"
        for name, text in (("walk", walk), ("xml", xml))
    )
    return (
        f"{subject.name:9} {len(controls):5} controls  list {listed.tokens:5}  task {told:5}  whole {whole:5}  "
        f"{others}  left out {listed.omitted:4}  changes {changed:3}  prompt {system} + {user}  in {took:.1f} ms"
    )


async def main(wanted: Sequence[str], texts: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for subject in subjects(Path(folder)):
            if wanted and subject.name not in wanted:
                continue
            if shutil.which(subject.needs) is None:
                print(f"{subject.name:9} not looked at: {subject.needs} is missing")
                continue
            print(await measure(subject, Path(folder), texts), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("windows", nargs="*")
    parser.add_argument("--text", type=Path, help="write what was compared into this folder")
    given = parser.parse_args()
    if given.text is not None:
        given.text.mkdir(parents=True, exist_ok=True)
    anyio.run(main, given.windows, given.text)
