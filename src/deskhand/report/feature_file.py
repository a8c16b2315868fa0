"""A playbook as a behave feature, in the phrases of `deskhand.testing`'s steps, which testers know from qecore."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deskhand.commands.key_syntax import parse_keys
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import compile_pattern, is_pattern
from deskhand.core.replies import Expectation, Selector
from deskhand.core.roles import Role
from deskhand.desktop.protocols.input import Chord
from deskhand.models.placeholders import references
from deskhand.models.steps import Playbook, Step
from deskhand.report.script_plan import Opening, Origin, Script, Section, brittle, dialog_of, script_of

_WINDOWS: Final = frozenset({Role.WINDOW, Role.DIALOG})
_READS: Final = frozenset({"find_controls", "annotation", "wait", "summary"})
_BUTTONS: Final = {"left": "Left", "right": "Right", "middle": "Middle"}
_SPECIAL: Final = {"esc": "Esc", "backspace": "BackSpace", "pageup": "Page_Up", "pagedown": "Page_Down"}
_SELECT_ALL: Final = 'Key combo: "<Ctrl><A>"'


def feature_file(playbook: Playbook, origin: Origin) -> str:
    """The text of the feature: one scenario. Values of parameters are written out.

    Raises: UsageError for a step that the phrases cannot express, with its line and the reason; also for one that needs
    a password, which is in no file.
    """
    script = script_of(playbook, origin)
    writer = _Writer(script)
    for number, section in enumerate(script.sections):
        writer.section(section, is_first=number == 0)
    if script.end is not None:
        writer.expectation(*script.end)
    title = " ".join(playbook.name.split())
    head = [f"# Made from {origin.made_from}.", f"Feature: {title}", "", f"  Scenario: {title}"]
    return "\n".join([*head, *writer.lines]) + "\n"


@dataclass(slots=True)
class _Writer:
    """The lines of the scenario so far. `dialog`: the title of the dialog that was used last."""

    script: Script
    lines: list[str] = field(default_factory=list[str])
    dialog: str = ""

    def section(self, section: Section, *, is_first: bool) -> None:
        origin = self.script.origin
        launches = [each for each in section.openings if each.launches]
        if is_first and not launches:
            self._originate(section.openings[0].step if section.openings else section.steps[0], origin)
        for opening in launches:
            self._launch(opening)
        for opening in section.openings:
            if not opening.launches and opening.title:
                self._await_window(opening.step, opening.title)
        for step in section.steps:
            self._step(step)

    def _originate(self, step: Step, origin: Origin) -> None:
        if origin.files:
            raise self.script.unwritable(step, "it is for a window of a file, and the phrases open programs alone")
        command = shlex.join(origin.command)
        self._add(step, f'Start application "{Path(origin.command[0]).name}" via command "{command}"')

    def _launch(self, opening: Opening) -> None:
        if opening.file or not opening.application:
            raise self.script.unwritable(opening.step, "it opens a file")
        name = self._plain(opening.step, opening.application)
        self._add(opening.step, f'Start application "{name}" via "command"')

    def _await_window(self, step: Step, title: str) -> None:
        self._add(step, f'Wait until "{self._name(step, title)}" "window" appears')

    def _step(self, step: Step) -> None:
        if step.when is not None or step.unless is not None:
            raise self.script.unwritable(step, "a scenario has no conditions")
        if step.save_as:
            raise self.script.unwritable(step, "a scenario saves no data")
        if step.tool and step.tool not in _READS:
            selector = self.script.selector(step)
            self.dialog = dialog_of(selector)[0] if selector is not None else self.dialog
            if why := brittle(selector):
                self.lines.append(f"    # brittle: {why}")
            written = _TOOLS.get(step.tool)
            if written is None:
                raise self.script.unwritable(step, f"no phrase does {step.tool}")
            for phrase in written(self, step, selector):
                self._add(step, phrase)
        if step.expect is not None:
            self.expectation(step, step.expect)

    def expectation(self, step: Step, expected: Expectation) -> None:
        """Write what is expected after a step."""
        if expected.shows is not None:
            self._add(step, f"Item {self.item(step, expected.shows)} found")
        if expected.gone is not None:
            gone = expected.gone if expected.gone.name else expected.gone.model_copy(update={"name": self.dialog})
            self._add(step, f"Wait until {self.item(step, gone)} disappears")
        if expected.window:
            self._await_window(step, expected.window)
        if expected.file:
            path = self._plain(step, expected.file)
            self._add(step, f'Run and save command output: "test -s {shlex.quote(path)}"')
            self._add(step, 'Return code of last command output "is" "0"')
        if expected.rows or expected.columns or expected.exit_code:
            raise self.script.unwritable(step, "it expects rows, columns or an exit code")

    # phrases

    def item(self, step: Step, selector: Selector, state: str = "") -> str:
        """A control as `"NAME" "ROLE"`, with a state; `None` stands for any name or role."""
        _, inner = dialog_of(selector)
        if inner.nth is not None:
            raise self.script.unwritable(step, "a phrase names a control by name and role, not by its number")
        if inner.within is not None and inner.role not in _WINDOWS:
            raise self.script.unwritable(step, "a phrase cannot name the container of a control")
        if is_pattern(inner.role) or inner.value:
            raise self.script.unwritable(step, "a phrase has the name of a control, and one role")
        that = f' that is "{state}"' if state else ""
        return f'"{self._name(step, inner.name)}" "{inner.role or "None"}"{that}'

    def _name(self, step: Step, wanted: str) -> str:
        """A name between quotes; an expression has to match all of it."""
        if not is_pattern(wanted):
            return self._plain(step, wanted).replace('"', '\\"') or "None"
        compiled = compile_pattern(self._plain(step, wanted))
        flags = "(?i)" if compiled.flags & re.IGNORECASE else ""
        return f"r:{flags}.*(?:{compiled.pattern}).*".replace('"', '\\"')

    def invoke(self, step: Step, selector: Selector | None) -> Iterator[str]:
        if selector is None or (step.args or {}).get("action"):
            raise self.script.unwritable(step, "a phrase clicks a control")
        if isinstance(selector.within, list):
            for name in selector.within:
                yield f'Left click "{self._plain(step, name)}" "menu"'
            selector = selector.model_copy(update={"within": None})
        yield f"Left click {self.item(step, selector)}"

    def click(self, step: Step, selector: Selector | None) -> Iterator[str]:
        args = step.args or {}
        is_double = args.get("double") is True or args.get("count") == 2
        button = "Double" if is_double else _BUTTONS.get(str(args.get("button", "left")), "")
        if selector is None or not button or args.get("hold") or (args.get("count", 1) != 1 and not is_double):
            raise self.script.unwritable(step, "a phrase clicks a control once or twice, without other keys")
        yield f"{button} click {self.item(step, selector)}"

    def fill(self, step: Step, selector: Selector | None) -> Iterator[str]:
        args = step.args or {}
        if selector is None or args.keys() != {"text"}:
            raise self.script.unwritable(step, "a phrase replaces the text of a field")
        yield f"Left click {self.item(step, selector)}"
        yield from (_SELECT_ALL, f'Type text: "{self._plain(step, str(args["text"]))}"')

    def form(self, step: Step, _: Selector | None) -> Iterator[str]:
        for single, selector in self.script.single(step):
            yield from _TOOLS[single.tool](self, single, selector)

    def set_value(self, step: Step, selector: Selector | None) -> Iterator[str]:
        value = (step.args or {}).get("value")
        if selector is None or isinstance(value, list | dict | None):
            raise self.script.unwritable(step, "its value is not known")
        if value is True:
            yield f"Left click {self.item(step, selector)}"
            yield f'Wait until {self.item(step, selector)} is "checked"'
        elif value is False:
            yield f"Left click {self.item(step, selector, 'checked')}"
            yield f'Item {self.item(step, selector)} was not found that is "checked"'
        elif selector.role == Role.SPINBUTTON:
            yield f"Left click {self.item(step, selector)}"
            yield from (_SELECT_ALL, f'Type text: "{value}"', 'Press key: "Tab"')
        else:
            raise self.script.unwritable(step, f"no phrase sets the number of a {selector.role}")

    def select(self, step: Step, selector: Selector | None) -> Iterator[str]:
        args = step.args or {}
        if selector is None or args.get("add"):
            raise self.script.unwritable(step, "a phrase clicks one item")
        yield f"Left click {self.item(step, selector)}"
        if item := args.get("item"):
            yield f'Left click "{self._name(step, str(item))}" "None"'

    def keys(self, step: Step, selector: Selector | None) -> Iterator[str]:
        if selector is not None and selector.role not in _WINDOWS:
            yield f"Left click {self.item(step, selector)}"
        args = step.args or {}
        keys = self._plain(step, str(args["keys"]))
        if args.get("literal") is True:
            yield f'Type text: "{keys}"'
            return
        typed = ""
        for chord in parse_keys(keys):
            character = " " if chord == Chord("space") else chord.key
            if len(character) == 1 and not chord.modifiers:
                typed += character
                continue
            yield from _typed(typed)
            typed = ""
            yield _pressed(chord)
        yield from _typed(typed)

    def wait(self, step: Step, _: Selector | None) -> Iterator[str]:
        args: JsonObject = dict(step.args or {})
        args.pop("seconds", None)
        gone = args.pop("gone", False) is True
        state = str(args.pop("state", ""))
        title = str(args.pop("title", ""))
        role = str(args.pop("role", "window" if title else ""))
        selector = Selector(role=role, name=str(args.pop("name", title)))
        if args or not role:
            raise self.script.unwritable(step, "a phrase waits for a control or a window")
        ending = "disappears" if gone else f'is "{state}"' if state else "appears"
        yield f"Wait until {self.item(step, selector)} {ending}"

    def _plain(self, step: Step, text: str) -> str:
        """A text with the values of parameters. Raises: UsageError for what cannot be written between quotes."""
        parameters = self.script.playbook.parameters
        for path in references(text):
            default: JsonValue = parameters[path].default if path in parameters else None
            if default is None:
                why = f"{path} has no value, and a feature may not contain a password"
                raise self.script.unwritable(step, why, fix="export a pytest file (.py)")
            text = text.replace(f"${{{path}}}", str(default))
        return text.replace("$${", "${")

    def _add(self, step: Step, phrase: str) -> None:
        if "\n" in phrase or "\r" in phrase:
            raise self.script.unwritable(step, "a phrase is one line")
        self.lines.append(f"    * {phrase}")


def _typed(text: str) -> Iterator[str]:
    if text:
        yield f'Type text: "{text}"'


def _pressed(chord: Chord) -> str:
    key = _SPECIAL.get(chord.key, chord.key if len(chord.key) == 1 else chord.key.capitalize())
    if not chord.modifiers:
        return f'Press key: "{key}"'
    held = "".join(f"<{each.capitalize()}>" for each in chord.modifiers)
    return f'Key combo: "{held}<{key.upper() if len(key) == 1 else key}>"'


_TOOLS: Final[Mapping[str, Callable[[_Writer, Step, Selector | None], Iterator[str]]]] = {
    "invoke": _Writer.invoke,
    "click_input": _Writer.click,
    "fill": _Writer.form,
    "set_edit_text": _Writer.fill,
    "set_value": _Writer.set_value,
    "select_item": _Writer.select,
    "keyboard_input": _Writer.keys,
    "wait_for": _Writer.wait,
}
