"""A toolkit for `changing.py` that is told in orders what to do, and tells how everything is once it has."""

import threading


class Told:
    """`send` takes a number and orders, each a name and its words; `hear` takes that number back, and what is true.

    What is true: `parts` by key, `rows` by list, `tabs`, `more`, and `extra` by what is open; of each mapped, rect,
    clips, value, and its states.
    """

    def __init__(self, send):
        self.send, self.orders, self.waiting = send, [], {}
        self.number, self.told = 0, {}

    def finish(self, done):
        self.number += 1
        self.waiting[self.number] = done
        orders, self.orders = self.orders, []
        self.send(self.number, orders)

    def hear(self, number, told):
        self.told = told
        self.waiting.pop(number)()

    def say(self, *order):
        self.orders.append(order)

    # what `World` wants

    def set_title(self, title):
        self.say("title", title)

    def make(self, part):
        self.say("make", part.key, part.kind, part.name)

    def put(self, box, part, index):
        self.say("put", part.key, box, index)

    def take(self, part):
        self.say("take", part.key)

    def destroy(self, part):
        self.say("destroy", part.key)

    def rename(self, part):
        self.say("rename", part.key, part.kind, part.name)

    def set_text(self, part, text):
        self.say("text", part.key, text)

    def set_value(self, part, number):
        self.say("value", part.key, number)

    def set_enabled(self, part):
        self.say("enabled", part.key, part.enabled)

    def flip_checked(self, part):
        self.say("check", part.key)

    def set_visible(self, part):
        self.say("visible", part.key, part.visible)

    def focus(self, part):
        self.say("focus", part.key)

    def turn(self, part, was):
        self.say("turn", part.key, part.kind, part.form)

    def insert_row(self, which, index, text):
        self.say("insert_row", which, index, text)

    def remove_row(self, which, index):
        self.say("remove_row", which, index)

    def set_row(self, which, index, text):
        self.say("set_row", which, index, text)

    def order_rows(self, which, order):
        self.say("order_rows", which, order)

    def select_row(self, which, index):
        self.say("select_row", which, index)

    def flip_row(self, index):
        self.say("flip_row", index)

    def choose_tab(self, number):
        self.say("tab", number)

    def expand(self, expanded):
        self.say("expand", expanded)

    def open(self, which, names):
        self.say("open", which, names)

    def close(self, which):
        self.say("close", which)

    def scroll_to(self, which, share):
        self.say("scroll", which, share)

    def resize(self, width, height):
        self.say("resize", width, height)

    def shift(self, left, top):
        self.say("shift", left, top)


def obey_all(world, lines):
    """One after the other: each is done before the next is read."""
    for line in lines:
        world.obey(line)
        done = threading.Event()
        world.tk.finish(done.set)
        done.wait()


def told_of(told, role, *states, value=""):
    """One control as `changing.py` wants it."""
    place = {key: told[key] for key in ("mapped", "rect", "clips")}
    return {"role": role, "value": value, "states": {state: told[state] for state in states}, **place}
