"""The controls of `changing.py` in Swing: `changing_swing.py JAVA… STATE_FILE COMMANDS`. Any Python runs it.

JAVA… is the command that starts `ChangingSwing.java`, which is told what to do and tells what stands in its window.
"""

import json
import subprocess
import sys
import threading
from pathlib import Path

from changing import TABS, WORDS, World, commands
from changing_told import Told, obey_all, told_of

FORMS = {"entry": ("locked",), "slider": ("upright",)}
ROLES = {"check": "checkbox", "entry": "textbox", "spin": "spinbutton"}


class Toolkit(Told):
    forms = FORMS
    dialogs_are_windows = True

    def __init__(self, program):
        super().__init__(self.write_orders)
        self.program = program

    def write_orders(self, number, orders):
        for order in (*orders, ("done", number)):
            words = [word for part in order for word in (part if isinstance(part, list) else [part])]
            line = "\t".join(str(word).lower() if isinstance(word, bool) else str(word) for word in words)
            self.program.stdin.write(line + "\n")
        self.program.stdin.flush()

    # what the program told

    def facts(self, part):
        told = self.told["parts"][part.key]
        states = ("enabled",)
        if part.kind in ("button", "entry"):
            states += ("focused",)
        if part.kind == "check":
            states += ("checked",)
        if part.kind == "entry":
            states += ("editable",)
        return told_of(told, ROLES.get(part.kind, part.kind), *states, value=told["value"])

    def row_facts(self, which, index):
        return told_of(self.told["rows"][which][index], "listitem" if which == "list" else "cell", "selected")

    def tab_facts(self, number):
        return told_of(self.told["tabs"][number], "tab", "selected")

    def expander_facts(self):
        return told_of(self.told["more"], "checkbox", "checked")

    def extra_facts(self, which, number):
        return told_of(self.told["extra"][which][number], "menuitem" if which == "popup" else "button", "enabled")


if __name__ == "__main__":
    *argv, state_file, path = sys.argv[1:]
    java = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    toolkit = Toolkit(java)
    toolkit.say("tabs", [f"{key} {WORDS[number]}" for number, key in enumerate(TABS)])
    world = World(toolkit, Path(state_file), java.stdout.readline().strip())
    toolkit.say("shown")
    toolkit.finish(lambda: None)
    _, lines = commands(path)
    threading.Thread(target=obey_all, args=(world, lines), daemon=True).start()
    for said in java.stdout:
        told = json.loads(said)
        toolkit.hear(told["number"], told["look"])
    sys.exit(java.wait())
