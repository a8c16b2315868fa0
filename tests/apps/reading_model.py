"""A program that plays a language model: `reading_model.py PORT_FILE [--lists] [--log FOLDER]`.

It speaks OpenAI's chat completions on the loopback and knows nothing but the text it is sent: the task, what happened,
and the lines of the screen, out of which it picks ids. It keeps nothing between requests and imports nothing of ours.
A grammar holds what it writes to the schema that it is sent (`wire.held`), as servers of local models do.
With --lists it answers with ordered lists of actions where it can.
"""

import argparse
import re
from functools import partial
from pathlib import Path

from prompt_server import serve, takes_lists

SAVE_AS = "{VK_CONTROL}{VK_SHIFT}s"


def line(text, role, name):
    """The id of the first control of that role whose name begins so; None where the screen shows none."""
    found = re.search(rf'(?:^|\| )\s*(\d+) {role} "{re.escape(name)}[^"\n]*"([^\n|]*)', text, re.MULTILINE)
    return found and (found[1], found[2])


def part(prompt, what):
    """What stands between the marks of one fenced part."""
    found = re.search(rf"<<<UNTRUSTED {what}\n(.*?)\nUNTRUSTED>>>", prompt, re.DOTALL)
    return found[1] if found else ""


class Prompt:
    """One request, read."""

    def __init__(self, text):
        self.request = re.search(r"^Request(?: and subtask)?: (.*)$", text, re.MULTILINE)[1]
        subtask = re.search(r"^(?:Request and s|S)ubtask: (.*)$", text, re.MULTILINE)
        self.subtask = subtask[1] if subtask else ""
        self.past = part(text, "history")
        self.screen = part(text, "the screen")
        self.is_host = "Windows and agents" in self.screen
        self.wants_lists = False

    def done(self, tool, *words):
        """Whether a step of this subtask says that a tool ran with success, and these words with it."""
        steps = re.findall(r"^Step \d+: .*$", self.past, re.MULTILINE)
        records = [record for step in steps for record in step.split("; ")[1:]]
        return any(
            record.startswith(tool) and re.search("confirmed|done|unknown", record) and all(w in record for w in words)
            for record in records
        )

    def ended(self, word):
        return re.search(rf"^Ended subtask[^\n]*{word}[^\n]*success", self.past, re.MULTILINE) is not None

    def target(self, role, name):
        found = line(self.screen, role, name)
        return found and found[0]

    def checked(self, role, name):
        found = line(self.screen, role, name)
        return bool(found and "(checked" in found[1])


def act(tool, label=None, name="", **args):
    action = {"function": tool, "args": args}
    if label:
        action["control_label"] = label
        if name:
            action["control_text"] = name
    return action


def say(status, *actions, **fields):
    if len(actions) > 1:
        return {"status": status, "actions": [{"action": action} for action in actions], **fields}
    return {"status": status, **(actions[0] if actions else {}), **fields}


def host(prompt):
    if "chart" in prompt.request:
        return chart_host(prompt)
    if prompt.ended("Fill in"):
        return say("FINISH", result="the form is filled in")
    label = re.search(r'^(\d+) window "([^"]*)"', prompt.screen, re.MULTILINE)
    return say(
        "ASSIGN", act("select_application_window", label[1]), current_subtask=f"Fill in the form: {prompt.request}"
    )


def chart_host(prompt):
    path = re.search(r"save it as (\S+)", prompt.request)[1]
    if prompt.ended("Chart it"):
        return say("FINISH", result=f"saved {path}", expect={"file": path})
    if not prompt.ended("Read the table"):
        label = re.search(r'^(\d+) window "([^"]*Writer)"', prompt.screen, re.MULTILINE)
        chosen = act("select_application_window", label[1], label[2])
        return say("ASSIGN", chosen, current_subtask="Read the table")
    label = re.search(r'^(\d+) window "([^"]*Calc)"', prompt.screen, re.MULTILINE)
    if not label:
        return say("CONTINUE", act("launch_application", application="calc"))
    return say(
        "ASSIGN",
        act("select_application_window", label[1]),
        current_subtask=f"Chart it: the saved table sales, and save it as {path}",
    )


def application(prompt):
    if prompt.subtask.startswith("Read the table"):
        found = re.search(r'^\s*(\d+) table "([^"]*)"', prompt.screen, re.MULTILINE)
        return say("FINISH", act("read_table", found[1], found[2]), save_as="sales", result="saved as sales")
    return chart(prompt) if prompt.subtask.startswith("Chart it") else fill_in(prompt)


def chart(prompt):
    """One step towards a bar chart of the saved table, from what the screen shows and what is done."""
    if prompt.target("button", "Finish"):
        return wizard(prompt)
    if prompt.done("choose_file"):
        return say("FINISH", result="charted and saved")
    return save(prompt) if prompt.done("invoke", 'button "Finish"') else enter(prompt)


def enter(prompt):
    if not prompt.done("write_table"):
        return say("CONTINUE", act("write_table", start="A1", rows={"from": "sales.cells"}), save_as="block")
    if not prompt.done("select_item", "table"):
        found = re.search(r'^\s*(\d+) table "(Sheet [^"]*)"', prompt.screen, re.MULTILINE)
        return say("CONTINUE", act("select_item", found[1], found[2], item={"from": "block.range"}))
    item = prompt.target("menuitem", "Chart...")
    opens = act("invoke", item, "Chart...") if item else act("invoke", prompt.target("menu", "Insert"), "Insert")
    return say("SCREENSHOT", opens)


def save(prompt):
    path = re.search(r"save it as (\S+)", prompt.subtask)[1]
    if prompt.target("button", "Save") and prompt.target("button", "Cancel"):
        return say("CONTINUE", act("choose_file", path=path, create=True), expect={"file": path})
    leave, save = act("keyboard_input", keys="{ESC}{ESC}"), act("keyboard_input", keys=SAVE_AS)
    if prompt.wants_lists:
        return say("SCREENSHOT", leave, save)
    return say("SCREENSHOT", save) if prompt.done("keyboard_input") else say("CONTINUE", leave)


def wizard(prompt):
    if bar := prompt.target("listitem", "Bar"):
        if not prompt.done("select_item", "listitem"):
            choose, go = act("select_item", bar, "Bar"), act("invoke", prompt.target("button", "Next >"), "Next >")
            return say("SCREENSHOT", choose, go) if prompt.wants_lists else say("CONTINUE", choose)
        return say("SCREENSHOT", act("invoke", prompt.target("button", "Next >"), "Next >"))
    wanted = [
        ("radio", "Data series in columns"),
        ("checkbox", "First row as label"),
        ("checkbox", "First column as label"),
    ]
    left = [act("set_value", prompt.target(*one), one[1], value=True) for one in wanted if not prompt.checked(*one)]
    finish = act("invoke", prompt.target("button", "Finish"), "Finish")
    if prompt.wants_lists:
        return say("SCREENSHOT", *left, finish)
    return say("CONTINUE", left[0]) if left else say("SCREENSHOT", finish)


def fill_in(prompt):
    """`write X into "Y"` and `tick "Z"`, as far as the screen does not show them done."""
    steps = []
    for text, name in re.findall(r'write (.+?) into "([^"]+)"', prompt.subtask):
        found = line(prompt.screen, "textbox", name)
        if f'= "{text}"' not in found[1]:
            steps.append(act("set_edit_text", found[0], name, text=text))
    ticks = [name for name in re.findall(r'tick "([^"]+)"', prompt.subtask) if not prompt.checked("checkbox", name)]
    steps += [act("invoke", prompt.target("checkbox", name), name) for name in ticks]
    if not steps:
        return say("FINISH", result="filled in")
    return say("CONTINUE", *steps) if prompt.wants_lists else say("CONTINUE", steps[0])


def reply_to(text, *, lists):
    prompt = Prompt(text)
    prompt.wants_lists = lists and takes_lists(text)
    return host(prompt) if prompt.is_host else application(prompt)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port_file", type=Path)
    parser.add_argument("--lists", action="store_true")
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    serve(given.port_file, given.log, partial(reply_to, lists=given.lists))


if __name__ == "__main__":
    main()
