"""Steps of a playbook as the body of a pytest test."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.patterns import is_pattern
from deskhand.core.replies import Expectation, Selector
from deskhand.core.roles import Role
from deskhand.models.placeholders import parts_of, root_of
from deskhand.models.steps import Step
from deskhand.report.python_text import (
    Call,
    identifier,
    keywords,
    list_call,
    text_literal,
    value_literal,
    words_literal,
)
from deskhand.report.script_plan import Opening, Origin, Script, Section, brittle, dialog_of

_METHODS: Final = {
    each: each.value
    for each in (
        Role.BUTTON,
        Role.CHECKBOX,
        Role.COMBOBOX,
        Role.LINK,
        Role.LISTITEM,
        Role.MENU,
        Role.MENUITEM,
        Role.RADIO,
        Role.SPINBUTTON,
        Role.TAB,
        Role.TEXTBOX,
    )
}
"""Roles with a method of their own."""
_WINDOWS: Final = frozenset({Role.WINDOW, Role.DIALOG})
_SYNTHETIC: Final = frozenset({"click", "hover", "press_keys", "type"})
"""Methods whose effect is often not known: without an expectation it is not checked."""
_READS: Final = frozenset({"find_controls", "texts", "annotation", "wait", "summary"})
_RESERVED: Final = ("control", "desktop", "expect", "launch", "os", "pytest", "re", "result", "shutil", "tmp_path")
_EQUAL: Final = re.compile(r"=?=?\s*(\d+)")


@dataclass(slots=True)
class StepWriter:
    """The lines of the test so far. `window`: the variable of the window that the next step is for.

    `used`: names that the lines use: fixtures, parameters, imported names.
    """

    script: Script
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    window: str = ""
    section_window: str = ""
    dialog: str = ""
    used: set[str] = field(default_factory=set[str])
    names: list[str] = field(default_factory=lambda: [*_RESERVED])
    saved: dict[str, str] = field(default_factory=dict[str, str])
    """Expressions of saved data, by name: a variable of a result, or of a text."""
    texts: set[str] = field(default_factory=set[str])
    """Saved data that are texts."""

    def write(self) -> None:
        """Write the whole test. Raises: UsageError for a step that it cannot express."""
        for number, section in enumerate(self.script.sections):
            self._section(section, is_first=number == 0)
        if self.script.end is not None:
            self._expectation(*self.script.end)

    # windows

    def _section(self, section: Section, *, is_first: bool) -> None:
        name = "window" if len(self.script.sections) == 1 else identifier(section.name, self.names)
        self.names.append(name)
        origin = self.script.origin
        launched = ""
        if is_first and not any(each.launches for each in section.openings):
            launched = self._originate(origin, name)
        titles = [each for each in section.openings if not each.launches]
        for opening in section.openings:
            if opening.launches:
                self._call(self._launch(opening), f"{name} = " if not titles else "")
            elif not launched:
                self._call(Call("desktop.window", (self._words(opening.step, opening.title),)), f"{name} = ")
        self.window = self.section_window = name
        self.dialog = ""
        for step in section.steps:
            self._step(step)

    def _originate(self, origin: Origin, name: str) -> str:
        """Start what shows the first window; return its variable, or nothing if it has to be found by its title."""
        if origin.command:
            self.used.add("launch")
            self.lines += list_call("launch", "argv", origin.command, f"{name} = ")
            return name
        only = name if len(origin.files) == 1 else ""
        for file in origin.files:
            self.used |= {"shutil", "tmp_path"}
            copied = f"shutil.copy({text_literal(file)}, tmp_path)"
            self._call(Call("launch", (f"file={copied}",)), f"{only} = " if only else "")
        return only

    def _launch(self, opening: Opening) -> Call:
        application = (self._value(opening.step, opening.application),) if opening.application else ()
        file = (f"file={self._value(opening.step, opening.file)}",) if opening.file else ()
        return Call("launch", (*application, *file))

    # steps

    def _step(self, step: Step) -> None:
        if not step.tool:
            if step.expect is not None:
                self._expectation(step, step.expect)
            return
        if step.tool in _READS and not step.save_as:
            return
        selector = self.script.selector(step)
        for condition, word in ((step.when, ""), (step.unless, "not ")):
            if condition is not None and condition.shows is not None:
                found = self._locator(step, condition.shows)
                self._add(f"if {word}{found}.count():")
                self.depth += 1
        self._act(step, selector)
        if step.expect is not None:
            self._expectation(step, step.expect)
        self.depth = 1

    def _act(self, step: Step, selector: Selector | None) -> None:
        if step.tool == "fill":
            for single, its_selector in self.script.single(step):
                self._call(self._call_of(single, its_selector))
        elif step.tool == "wait_for":
            self._wait(step)
        elif step.tool == "texts" and selector is not None:
            self._save(step, Call(f"{self._locator(step, selector)}.text"), is_text=True)
        else:
            self._save(step, self._call_of(step, selector))

    def _save(self, step: Step, call: Call, *, is_text: bool = False) -> None:
        effect = step.expect.effect if step.expect else ""
        wants_other = bool(effect) and effect != "confirmed"
        before = ""
        if step.save_as or wants_other or (step.expect and (step.expect.rows or step.expect.columns)):
            name = identifier(step.save_as, self.names) if step.save_as else "result"
            before = f"{name} = "
            if step.save_as:
                self.names.append(name)
                self.saved[step.save_as] = name
                self.texts |= {step.save_as} if is_text else set()
        self._call(call, before)
        if wants_other:
            self._add(f"assert {before.removesuffix(' = ')}.effect == {text_literal(effect)}")

    def _call_of(self, step: Step, selector: Selector | None) -> Call:
        """The call of a step, on its control or in its window."""
        args = dict(step.args or {})
        on_window = selector is None or selector.role in _WINDOWS
        receiver = self._receiver(step, selector)
        own = _of_window(step.tool, args) if on_window else _of_control(step.tool, args)
        if own is None:
            tool = text_literal(step.tool)
            return Call(f"{receiver}.act", (tool, *self._keywords(step, args), *_check(step, "")))
        values = tuple(self._value(step, each) for each in own.given)
        return Call(f"{receiver}.{own.name}", (*values, *self._keywords(step, own.named), *_check(step, own.name)))

    def _receiver(self, step: Step, selector: Selector | None) -> str:
        if selector is None:
            return self.window
        if selector.role in _WINDOWS:
            return self._dialog(step, selector.name) if selector.role == Role.DIALOG and selector.name else self.window
        if why := brittle(selector):
            self._add(f"# brittle: {why}")
        if isinstance(selector.within, list):
            self._open_menus(step, selector, selector.within)
            selector = selector.model_copy(update={"within": None})
        return self._locator(step, selector)

    def _open_menus(self, step: Step, selector: Selector, menus: Sequence[str]) -> None:
        """Open the menus around an item, unless it is there already."""
        item = self._locator(step, selector.model_copy(update={"within": None}))
        self._add(f"if not {item}.count():")
        self.depth += 1
        for name in menus:
            self._call(Call(f"{self.window}.locator(name={self._words(step, name)}).press"))
        self.depth -= 1

    def _wait(self, step: Step) -> None:
        args = dict(step.args or {})
        timeout = self._keywords(step, {"timeout_s": args.pop("seconds")} if "seconds" in args else {})
        gone = args.pop("gone", False) is True
        if args.keys() == {"title"} and not gone:
            self._call(Call("desktop.window", (self._words(step, str(args["title"])), *timeout)))
            return
        if not args.keys() <= {"role", "name", "state"} or not args.keys() & {"role", "name"}:
            raise self.script.unwritable(step, f"a test cannot wait for {', '.join(args)}")
        state = (self._value(step, args["state"]),) if "state" in args else ()
        expected = "to_be_gone" if gone else "to_have_state" if state else "to_be_visible"
        selector = Selector(role=str(args.get("role", "")), name=str(args.get("name", "")))
        self._call(Call(f"expect({self._locator(step, selector)}).{expected}", (*state, *timeout)))

    # expectations

    def _expectation(self, step: Step, expected: Expectation) -> None:
        if expected.shows is not None:
            self._expect_control(step, expected.shows, "to_be_visible")
        if expected.gone is not None:
            self._expect_control(step, expected.gone, "to_be_gone")
        if expected.window:
            self._call(Call("desktop.window", (self._words(step, expected.window),)))
        if expected.file:
            path = self._value(step, expected.file)
            self.used.add("Path")
            self._add(f"assert Path({path}).stat().st_size > 0")
        if expected.exit_code:
            raise self.script.unwritable(step, "it expects the exit code of a command")
        result = self.saved.get(step.save_as, "result")
        for name, count in (("rows", expected.rows), ("columns", expected.columns)):
            if not count:
                continue
            if (equal := _EQUAL.fullmatch(count)) is None:
                raise self.script.unwritable(step, f"it expects {name} {count}")
            self._add(f'assert {result}.part("{name}") == {equal[1]}')

    def _expect_control(self, step: Step, selector: Selector, method: str) -> None:
        if selector.role in _WINDOWS:
            title = self._words(step, selector.name) if selector.name else ""
            if method == "to_be_visible" and title:
                self._call(Call("desktop.window", (title,)))
            elif method == "to_be_gone" and (self.dialog or selector.role == Role.DIALOG):
                if self.window == self.section_window:
                    raise self.script.unwritable(step, "no step used the dialog that is to be gone")
                self._call(Call(f"expect({self.window}).to_be_closed"))
                self.window, self.dialog = self.section_window, ""
            else:
                raise self.script.unwritable(step, "it expects a window without a title")
            return
        self._call(Call(f"expect({self._locator(step, selector)}).{method}"))

    # expressions

    def _locator(self, step: Step, selector: Selector) -> str:
        """The locator of a selector; a dialog that it is within is found first."""
        title, inner = dialog_of(selector)
        window = self._dialog(step, title) if title else self._outside()
        chain: list[Selector] = [inner]
        while isinstance(chain[-1].within, Selector):
            chain.append(chain[-1].within)
        if isinstance(inner.within, list):
            raise self.script.unwritable(step, "its container is given by names")
        calls = [self._one(step, each) for each in reversed(chain) if each.role not in _WINDOWS or each is inner]
        return ".".join([window, *calls, *_nth(inner)])

    def _one(self, step: Step, selector: Selector) -> str:
        if is_pattern(selector.role):
            raise self.script.unwritable(step, "its role is a pattern")
        name = self._words(step, selector.name) if selector.name else ""
        text = f"text={self._value(step, selector.value)}" if selector.value else ""
        method = next((own for role, own in _METHODS.items() if role == selector.role), "")
        if method and not text:
            return Call(method, (name,) if name else ()).text
        arguments: list[str] = [text_literal(selector.role)] if selector.role else []
        arguments += [name if selector.role else f"name={name}"] if name else []
        return Call("locator", (*arguments, *([text] if text else []))).text

    def _outside(self) -> str:
        self.window, self.dialog = self.section_window, ""
        return self.window

    def _dialog(self, step: Step, title: str) -> str:
        """The variable of a dialog, which is found where it is another one than that of the step before."""
        if title != self.dialog:
            name = identifier(re.sub(r"\\.|[^\w ]", " ", title), [each for each in self.names if each in _RESERVED])
            name = name if name != self.section_window else f"{name}_dialog"
            self._call(Call("desktop.window", (self._words(step, title),)), f"{name} = ")
            self.window, self.dialog = name, title
        return self.window

    def _words(self, step: Step, wanted: str) -> str:
        self.used |= {"re"} if is_pattern(wanted) else set()
        return words_literal(wanted, lambda path: self._name(step, path))

    def _value(self, step: Step, value: JsonValue) -> str:
        return value_literal(value, lambda path: self._name(step, path))

    def _keywords(self, step: Step, arguments: Mapping[str, JsonValue]) -> tuple[str, ...]:
        return keywords(arguments, lambda path: self._name(step, path))

    def _name(self, step: Step, path: str) -> str:
        """The expression of a `${…}`."""
        root, parts = root_of(path), parts_of(path)
        parameter = self.script.playbook.parameters.get(root)
        if parameter is not None:
            self.used.add(parameter.name)
            return parameter.name.upper() if self.script.is_constant(parameter) else parameter.name
        if root not in self.saved:
            raise self.script.unwritable(step, f"no step of the test reads {root}")
        if root in self.texts:
            return self.saved[root]
        places = ", ".join(part if part.isdecimal() else text_literal(part) for part in parts)
        return f"{self.saved[root]}.part({places})"

    # lines

    def _call(self, call: Call, before: str = "") -> None:
        self.used.add(re.split(r"\W", call.function, maxsplit=1)[0])
        receiver, _, method = call.function.rpartition(".")
        if not call.head_fits(before, self.depth) and (inner := Call.of(receiver)) is not None:
            self._call(inner, "control = ")
            call = Call(f"control.{method}", call.arguments)
        self.lines += call.lines(before, self.depth)

    def _add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)


def _check(step: Step, method: str) -> tuple[str, ...]:
    """The argument that leaves an effect unchecked, for a step that expects none or another one."""
    effect = step.expect.effect if step.expect is not None else ""
    unchecked = effect != "confirmed" if effect else method in _SYNTHETIC
    return ("check=False",) if unchecked else ()


def _nth(selector: Selector) -> Sequence[str]:
    match selector.nth:
        case None:
            return ()
        case "first":
            return ("nth(0)",)
        case "last":
            return ("nth(-1)",)
        case int():
            return (f"nth({selector.nth - 1})",)


@dataclass(frozen=True, slots=True)
class _Method:
    """A method of a locator or window: its positional arguments, and those by name."""

    name: str
    given: tuple[JsonValue, ...] = ()
    named: JsonObject = field(default_factory=dict[str, JsonValue])


def _of_control(tool: str, args: JsonObject) -> _Method | None:
    """The method of a locator that a tool has; None without one."""
    made = _OF_CONTROL.get(tool)
    return made(args) if made is not None else None


def _of_window(tool: str, args: JsonObject) -> _Method | None:
    """The method of a window that a tool has; None without one."""
    if tool == "keyboard_input" and args.get("literal") is not True:
        return _Method("press_keys", (args["keys"],))
    if tool == "save_document":
        path = (args["path"],) if args.get("path") else ()
        return _Method("save", path, {name: value for name, value in args.items() if name != "path"})
    return None


def _click(args: JsonObject) -> _Method:
    count: JsonObject = {"count": 2} if args.get("double") is True else {}
    return _Method("click", (), {name: value for name, value in args.items() if name != "double"} | count)


def _keys(args: JsonObject) -> _Method:
    return _Method("type" if args.get("literal") is True else "press_keys", (args["keys"],))


def _with(method: str, *names: str) -> Callable[[JsonObject], _Method | None]:
    """A method that takes these arguments by position, and no others."""

    def made(args: JsonObject) -> _Method | None:
        given = {name: value for name, value in args.items() if value != ""}
        return _Method(method, tuple(given.values())) if given.keys() <= {*names} else None

    return made


_OF_CONTROL: Final[Mapping[str, Callable[[JsonObject], _Method | None]]] = {
    "invoke": _with("press"),
    "click_input": _click,
    "hover": _with("hover"),
    "set_edit_text": _with("fill", "text"),
    "set_value": _with("set", "value"),
    "select_item": _with("select", "item"),
    "keyboard_input": _keys,
}
