"""The controls of `mutating.py` in Swing: `mutating_swing.py STATE_FILE COMMANDS JAVA…`. Any Python runs it.

JAVA… is the command that starts `MutatingSwing.java`, which is told what to show and tells where it stands.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

from mutating import World
from told import Told


class Toolkit(Told):
    rows_are_rows = False

    def __init__(self, program):
        super().__init__(self.write_orders)
        self.program = program

    def write_orders(self, number, orders):
        lines = ["\t".join(str(word) for word in order) for order in (*orders, ("done", number))]
        self.program.stdin.write("\n".join(lines).replace("True", "true").replace("False", "false") + "\n")
        self.program.stdin.flush()

    def hear(self, line):
        what, *words = line.rstrip("\n").split("\t")
        if what == "pressed":
            self.pressed[words[0]]()
        elif what == "cell":
            self.pressed_cell(*map(int, words))
        else:
            places = {words[at]: [int(edge) for edge in words[at + 1 : at + 5]] for at in range(1, len(words), 5)}
            rows = range(sum(name.startswith("cell ") for name in places) // 2)
            cells = [[places[f"cell {row} {column}"] for column in (0, 1)] for row in rows]
            self.placed(int(words[0]), places, cells)


def obey_all(world, lines):
    for line in lines:
        with LOCK:
            world.obey(line)


LOCK = threading.Lock()

if __name__ == "__main__":
    java = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    toolkit = Toolkit(java)
    world = World(toolkit, Path(sys.argv[1]), "17")
    toolkit.moved = world.write
    toolkit.finish(world.write)
    lines = os.fdopen(os.open(sys.argv[2], os.O_RDWR), "r", encoding="utf-8")
    threading.Thread(target=obey_all, args=(world, lines), daemon=True).start()
    for told in java.stdout:
        with LOCK:
            toolkit.hear(told)
    sys.exit(java.wait())
