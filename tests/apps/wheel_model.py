"""A program that plays a good or a careless language model: `wheel_model.py PORT_FILE SCRIPT [--careless] [--log DIR]`.

It receives nothing but the text of prompts, and remembers nothing between them but the plan that each shows again.
SCRIPT is a JSON file with the ordered intents of one task: a tool, its arguments, and the controls that it may be meant
for, as roles and names. The ids are read from the prompt.

The good model takes a control of the wanted role, checks an unverified effect on the screen where the script has a
pattern for it, and reports a failure as one. The careless model takes the first control with a fitting name, repeats
each action that is not confirmed, twice at most, then continues, and reports success unless the last words of the
program contradict it.
"""

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path

from prompt_server import serve

TRIES = {"good": 2, "careless": 3}
OUTCOMES = {
    "confirmed": r"confirmed",
    "unknown": r"unverifiable|unverified|unknown|not (?:confirmed|verified)",
    "failed": r"partial|partly|suspected.?no.?op|no effect|refused|fail(?:ed|ure)|skipped|error|did not hold|not done",
    "done": r"success|done",
}
CONTRADICTS = re.compile(
    r"\b(?:fail(?:ed|ure)|did not hold|not saved|unsaved|not confirmed|changed it to|refused|not finished)\b",
    re.IGNORECASE,
)
AGREES = re.compile(r"(?:ok|yes|use .*format|keep|save|replace|close)\b", re.IGNORECASE)
QUOTED = r'"(?P<{}>(?:[^"\\]|\\.)*)"'
ENTRY = re.compile(
    rf"(?P<id>[A-Z]{{0,3}}\d+)(?: (?P<role>[A-Za-z]\w*))?(?: {QUOTED.format('name')})?(?: = {QUOTED.format('value')})?"
    r"(?P<rest>.*)"
)
PRESSES = re.compile(r"(?:[Pp]ress|acts on) (?P<keys>\{\w+\})")
NAMES = re.compile(r"to do: [^\n]*?\[(?P<id>[A-Z]*\d+)\]")
FOUND = re.compile(r" → (?=[A-Z]*\d+ )")
CELL = re.compile(r"[A-Z]{1,3}\d+")
BY_ADDRESS = re.compile(r"empty cells, not listed; the id of each is its address")


@dataclass(frozen=True)
class Control:
    """One listed control; `label` is the name of the region around it."""

    id: str
    role: str
    name: str
    value: str
    rest: str
    label: str

    @property
    def told_name(self):
        """The name as a reply gives it; a shortened one is left out."""
        return "" if "…" in self.name else self.name

    @property
    def texts(self):
        return [text for text in (self.name, self.value) if text]


def part(prompt, mark):
    """The text between the marks of one fenced part."""
    found = re.search(rf"<<<UNTRUSTED {mark}\n(.*?)\nUNTRUSTED>>>", prompt, re.DOTALL)
    return found[1] if found else ""


def listed(screen):
    """The controls of a list, with the names of the regions around them."""
    around = [(-1, "")]
    for line in screen.split("\n"):
        depth = len(line) - len(line.lstrip())
        while around[-1][0] >= depth:
            around.pop()
            around = around or [(-1, "")]
        label, first = around[-1][1], None
        for piece in re.split(r" \| (?=[A-Z]{0,3}\d)", line.strip()):
            if found := ENTRY.fullmatch(piece):
                role, name, value, rest = (found[each] or "" for each in ("role", "name", "value", "rest"))
                if CELL.fullmatch(found["id"]) and not role:
                    role, name, value = "cell", found["id"], name
                control = Control(found["id"], role, name, value, rest, label)
                first = first or control
                yield control
        if first:
            around.append((depth, first.name))


class Prompt:
    """One request, read."""

    def __init__(self, text):
        self.past = part(text, "history")
        self.screen = part(text, "the screen")
        self.is_host = "Windows and agents" in self.screen
        task = text[text.rfind("# The task") :]
        self.request = re.search(r"^Request(?: and subtask)?: (.*)$", task, re.MULTILINE)[1]
        self.words = re.sub(r"<<<UNTRUSTED.*?UNTRUSTED>>>", "", task.partition("\n")[2], flags=re.DOTALL)
        self.words = "\n".join(line for line in self.words.split("\n") if not re.match("Request|Subtask: |- ", line))
        place = re.search(r"^- intent (\d+), try (\d+)", task, re.MULTILINE)
        self.intent, self.tries = (int(place[1]), int(place[2])) if place else (0, 0)
        steps = re.findall(r"^Step \d+: .*$", self.past, re.MULTILINE)
        self.last = steps[-1] if steps and place else ""
        found = FOUND.split(self.last)[1:]
        self.controls = [*listed("\n".join(found)), *listed(self.screen)]
        self.has_searched = "find_controls(" in self.last

    @property
    def outcome(self):
        """The outcome of the last step, by the first word of the record that is one."""
        found = {name: re.search(rf"\b(?:{words})\b", self.last) for name, words in OUTCOMES.items()}
        return min((match.start(), name) for name, match in found.items() if match)[1] if any(found.values()) else ""

    @property
    def contradiction(self):
        """The words of the program against success, beside its record of earlier steps."""
        window = re.search(r"^Window: .*$", self.screen, re.MULTILINE)
        words = f"{self.words}\n{window[0] if window else ''}"
        found = next((line for line in words.split("\n") if CONTRADICTS.search(line)), "")
        return found or (self.last if self.outcome == "failed" else "")

    def find(self, wanted):
        """The control of the first pair of role and name, exact names first, that is listed; its place is no matter."""
        for role, name in wanted:
            those = [each for each in self.controls if re.fullmatch(role, each.role)]
            if not name and those:
                return those[0]
            exact = [each for each in those if name in each.texts]
            begun = [each for each in those if any(text.startswith(name) for text in each.texts)]
            inside = [each for each in those if not each.name and each.label.rstrip(":") == name.rstrip(":")]
            if found := [*exact, *begun, *inside]:
                return found[0]
        return self.unlisted_cell(wanted)

    def unlisted_cell(self, wanted):
        """The first wanted cell where the list has the ids of the empty cells that it leaves out."""
        names = [name for _, name in wanted if CELL.fullmatch(name) and BY_ADDRESS.search(self.screen)]
        return Control(names[0], "cell", names[0], "", "", "") if names else None

    def find_by_name(self, wanted):
        """The first control whose name fits; of nameless ones, and of places in a sheet, as `find`."""
        for _, name in wanted:
            if found := [each for each in self.controls if name and each.name.lower().startswith(name.lower())]:
                return found[0]
        return self.find(wanted)

    def acted_on(self):
        """The control of the last action, where its record has an id that is listed."""
        found = re.search(r"\[([A-Z]*\d+)\]", self.last)
        return next((each for each in self.controls if found and each.id == found[1]), None)

    def agreement(self):
        """The button that agrees with a dialog nobody expected; None in a window with menus."""
        if any(each.role in {"menubar", "menu"} for each in self.controls):
            return None
        return next((each for each in self.controls if each.role == "button" and AGREES.match(each.name)), None)


def composed(status, tool="", args=None, control=None, plan=(), **fields):
    """A reply as JSON."""
    action = {"function": tool, "args": args or {}} if tool else {}
    if control and tool != "find_controls":
        action |= {"control_label": control.id, "control_text": control.told_name}
    return {**action, "status": status, "plan": list(plan), **fields}


class Model:
    """The decisions of one kind of model about the prompts of one task."""

    def __init__(self, script, kind):
        self.script, self.intents, self.kind = script, script["intents"], kind

    def reply_to(self, text):
        prompt = Prompt(text)
        return self.host(prompt) if prompt.is_host else self.application(prompt)

    def host(self, prompt):
        ended = re.findall(r"^Ended subtask.*$", prompt.past, re.MULTILINE)
        if ended:
            is_done = re.search(r": success\b", ended[-1])
            return composed("FINISH" if is_done else "FAIL", result=ended[-1][:300])
        windows = [each for each in prompt.controls if each.role in {"window", "dialog"}]
        fitting = [each for each in windows if re.search(self.script["window"], each.name)]
        chosen = fitting[0] if fitting and self.kind == "good" else windows[0]
        return composed(
            "ASSIGN", "select_application_window", control=chosen, current_subtask=prompt.request, last=True
        )

    def application(self, prompt):
        at, tries = self.place(prompt)
        if at is None:
            return composed("FAIL", result=f"not done: {prompt.last[:200]}")
        while at < len(self.intents) and self.intents[at].get("if") and not self.control_of(prompt, at):
            at, tries = at + 1, 0
        if at == len(self.intents):
            return self.end(prompt, at, tries)
        intent, control = self.intents[at], self.control_of(prompt, at)
        if (at, tries) == (prompt.intent, prompt.tries) and (keys := PRESSES.search(prompt.last)):
            return self.act(at, tries, "keyboard_input", {"keys": keys["keys"]}, prompt.acted_on() or control)
        args = self.with_ids(prompt, intent["args"])
        if args is not None and (control or not intent.get("find")):
            return self.act(at, tries + 1, intent["tool"], args, control)
        return self.without(prompt, at, tries)

    def with_ids(self, prompt, args):
        """The arguments with the ids of the controls that a form's values are meant for; None where one is missing."""
        if "values" not in args:
            return args
        found = [(prompt.find(value["find"]), value["value"]) for value in args["values"]]
        if not all(control for control, _ in found):
            return None
        return {"values": [{"id": each.id, "name": each.told_name, "value": value} for each, value in found]}

    def without(self, prompt, at, tries):
        """The step where the control of an intent is not listed."""
        wanted = self.intents[at].get("find") or self.intents[at]["args"]["values"][0]["find"]
        name = wanted[0][1]
        if button := prompt.agreement():
            return self.act(at, tries + 1, "invoke", {}, button)
        if not prompt.has_searched:
            return self.act(at, tries, "find_controls", {"text": name})
        return composed("FAIL", result=f"not found: {name}") if self.kind == "good" else self.skip(prompt, at)

    def skip(self, prompt, at):
        """The next intent, as if this one was done."""
        if at + 1 == len(self.intents):
            return self.end(prompt, at + 1, 0)
        intent, control = self.intents[at + 1], self.control_of(prompt, at + 1)
        return self.act(at + 1, 1, intent["tool"], intent["args"], control)

    def act(self, at, tries, tool, args, control=None):
        """An action; the good model claims the end together with its last one, once its control is known."""
        is_last = self.kind == "good" and at + 1 == len(self.intents) and tool == self.intents[at]["tool"]
        ending = {"result": "done as requested"} if is_last else {}
        return composed(
            "FINISH" if is_last else "CONTINUE", tool, args, control, plan=[f"intent {at}, try {tries}"], **ending
        )

    def control_of(self, prompt, at):
        """The control of an intent: after a failure the one that the advice names."""
        wanted = self.intents[at].get("find", [])
        if wanted and at == prompt.intent and prompt.outcome == "failed" and (named := NAMES.search(prompt.last)):
            return next((each for each in prompt.controls if each.id == named["id"]), None)
        return prompt.find(wanted) if self.kind == "good" else prompt.find_by_name(wanted)

    def place(self, prompt):
        """The number of the next intent and the tries of it so far; None for the number where one has failed."""
        at, tries = prompt.intent, prompt.tries
        if not tries or at >= len(self.intents):
            return at, tries
        if prompt.has_searched and tries < TRIES[self.kind]:
            return at, tries
        if prompt.outcome in {"confirmed", "done"}:
            return at + 1, 0
        shows = self.intents[at].get("shows", "")
        is_shown = shows and re.search(shows, prompt.screen, re.MULTILINE)
        if self.kind == "good" and prompt.outcome == "unknown" and is_shown:
            return at + 1, 0
        if tries < TRIES[self.kind]:
            return at, tries
        return (None, 0) if self.kind == "good" else (at + 1, 0)

    def end(self, prompt, at, tries):
        """A claim of success unless the program contradicts it; what it refused as an end is done once more."""
        against = prompt.contradiction
        last = next((intent for intent in reversed(self.intents) if "find" not in intent), None)
        if against and last and not tries:
            return self.act(at, 1, last["tool"], last["args"])
        if against:
            return composed("FAIL", result=f"the program reports: {against[:300]}")
        return composed("FINISH", result="done as requested", plan=[f"intent {at}, try {tries}"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port_file", type=Path)
    parser.add_argument("script", type=Path)
    parser.add_argument("--careless", action="store_true")
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    model = Model(json.loads(given.script.read_text("utf-8")), "careless" if given.careless else "good")
    serve(given.port_file, given.log, model.reply_to)


if __name__ == "__main__":
    main()
