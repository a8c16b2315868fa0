"""A program with a window that lies over accessibility: `lying_peer.py TITLE ACCESSIBILITY_BUS_ADDRESS`.

It begins honestly. `test.Liar.Say(lie, argument)` on the bus name `test.Liar` makes it tell one of the lies of
`desktop.linux.lies` from then on, and answers with what it was asked since the last time: member → count, as JSON.
"""

import heapq
import itertools
import json
import os
import selectors
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from Xlib import Xatom
from Xlib.display import Display

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import BUS, BUS_PATH
from deskhand.desktop.linux.dbus.wire import Kind, Message, Variant, encode, encode_call, next_message
from desktop.linux.lies import LIES, Answer, HangUp, Question, honest, refusal
from desktop.linux.lies_of_tables import TABLE_LIES

NAME = "test.Liar"
SIZE = (400, 300)
ALL_LIES = LIES | TABLE_LIES
FORGED = 100
"""Answers to calls that were made to others, which a forger sends with each of its own."""


def encode_answer(to: Message, answer: Answer) -> bytes:
    """An answer as bytes, in the byte order that it wants."""
    fields = [(5, Variant("u", to.serial))]
    if to.said.sender:
        fields.append((6, Variant("s", to.said.sender)))
    if answer.signature:
        fields.append((8, Variant("g", answer.signature)))
    if answer.kind is Kind.ERROR:
        fields.append((4, Variant("s", "test.Liar.Error")))
    body = answer.raw if answer.raw is not None else encode(answer.signature, answer.values)
    if answer.big_endian:
        return _big_endian(to, body)
    header = encode("yyyyuua(yv)", [0x6C, answer.kind, 0, 1, len(body), 1, fields])
    return header + b"\0" * (-len(header) % 8) + body


def _big_endian(to: Message, body: bytes) -> bytes:
    """A message that says nothing in the other byte order, which D-Bus allows."""
    sender = to.said.sender.encode()
    fields = bytes((5, 1, ord("u"), 0)) + to.serial.to_bytes(4, "big")
    fields += bytes((6, 1, ord("s"), 0)) + len(sender).to_bytes(4, "big") + sender + b"\0"
    lengths = (len(body).to_bytes(4, "big"), (1).to_bytes(4, "big"), len(fields).to_bytes(4, "big"))
    header = bytes((0x42, Kind.RETURN, 0, 1)) + b"".join(lengths) + fields
    return header + b"\0" * (-len(header) % 8) + body


class Link:
    """One connection: to the bus, or of somebody who came over the private socket."""

    def __init__(self, link: socket.socket, *, private: bool) -> None:
        self.socket = link
        self.private = private
        self.received = bytearray()
        self.let_in = not private

    def receive(self) -> None:
        """Raises: EOFError."""
        data = self.socket.recv(1 << 16)
        if not data:
            raise EOFError
        self.received += data

    def complete(self) -> list[Message]:
        found: list[Message] = []
        while (one := next_message(self.received, 0)) is not None:
            del self.received[: one[1]]
            found.append(one[0])
        return found

    def greet(self) -> None:
        """Lets a visitor in, step by step. Raises: EOFError."""
        self.receive()
        if b"AUTH" in self.received and b"\r\n" in self.received:
            self.socket.sendall(b"OK 1234\r\n")
            self.received.clear()
        if b"BEGIN\r\n" in self.received:
            del self.received[: self.received.index(b"BEGIN\r\n") + 7]
            self.let_in = True


class Peer:
    def __init__(self, title: str, address: str) -> None:
        self.title = title
        self.lie, self.argument, self.own = "honest", "", ""
        self.asked: Counter[str] = Counter()
        self.late: list[tuple[float, int, Link, bytes]] = []
        self.numbers = itertools.count()
        self.selector = selectors.DefaultSelector()
        self.listener = socket.socket(socket.AF_UNIX)
        self.private_address = Path(os.environ["XDG_RUNTIME_DIR"]) / f"liar-{os.getpid()}"
        self.listener.bind(str(self.private_address))
        self.listener.listen()
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.bus = self.enter(address)
        self.display = Display()
        self.show_window()
        self.selector.register(self.display.fileno(), selectors.EVENT_READ, self.drain)

    def enter(self, address: str) -> Link:
        """Joins the accessibility bus and its registry."""
        link = socket.socket(socket.AF_UNIX)
        link.connect(address.partition("path=")[2].partition(",")[0])
        link.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        link.recv(4096)
        link.sendall(b"BEGIN\r\n")
        bus = Link(link, private=False)
        own = self.ask(bus, BUS, BUS_PATH, BUS, "Hello", "", ())
        self.ask(bus, BUS, BUS_PATH, BUS, "RequestName", "su", (NAME, 0))
        self.own = str(own.values()[0])
        application = (self.own, calls.ROOT_PATH)
        self.ask(bus, calls.REGISTRY, calls.ROOT_PATH, "org.a11y.atspi.Socket", "Embed", "(so)", (application,))
        self.selector.register(link, selectors.EVENT_READ, lambda: self.hear(bus))
        return bus

    def ask(self, bus: Link, *parts: object) -> Message:
        """A call of our own and its answer; what comes meanwhile is answered too."""
        serial = next(self.numbers) + 1
        bus.socket.sendall(encode_call(serial, *parts))  # pyright: ignore[reportArgumentType] - its own parts
        while True:
            bus.receive()
            for message in bus.complete():
                if message.reply_serial == serial and message.kind in {Kind.RETURN, Kind.ERROR}:
                    return message
                if message.kind == Kind.CALL:
                    self.answer(bus, message)

    def show_window(self) -> None:
        screen = self.display.screen()
        window = screen.root.create_window(50, 50, *SIZE, 0, screen.root_depth, background_pixel=screen.white_pixel)
        window.set_wm_name(self.title)
        window.set_wm_class("liar", "Liar")
        utf8 = self.display.intern_atom("UTF8_STRING")
        window.change_property(self.display.intern_atom("_NET_WM_NAME"), utf8, 8, self.title.encode())
        window.change_property(self.display.intern_atom("_NET_WM_PID"), Xatom.CARDINAL, 32, [os.getpid()])
        window.map()
        self.display.flush()

    def drain(self) -> None:
        while self.display.pending_events():
            self.display.next_event()

    def accept(self) -> None:
        visitor = Link(self.listener.accept()[0], private=True)
        self.selector.register(visitor.socket, selectors.EVENT_READ, lambda: self.hear(visitor))

    def hear(self, link: Link) -> None:
        try:
            if link.let_in or self.lie == "private_deaf":
                link.receive()
            else:
                link.greet()
            for message in link.complete() if link.let_in else ():
                if message.kind == Kind.CALL:
                    self.answer(link, message)
        except (EOFError, OSError, HangUp):
            self.selector.unregister(link.socket)
            link.socket.close()

    def answer(self, link: Link, message: Message) -> None:
        values = message.values()
        if message.said.interface == NAME:
            self.send(link, message, Answer("s", (json.dumps(self.asked),)))
            self.asked.clear()
            self.lie, self.argument = (str(value) for value in values)
            return
        member = str(values[1]) if message.said.member == "Get" else message.said.member
        self.asked[member] += 1
        address = f"unix:path={self.private_address}" if self.lie.startswith("private") else ""
        question = Question(
            *(
                message.said.path,
                member,
                self.own,
                self.title,
                self.asked.total(),
                link.private,
                address,
                self.argument,
            ),
            arguments=tuple(values),
        )
        if self.lie == "forger" and not link.private:
            for guessed in range(1, FORGED):
                self.send(link, replace(message, serial=message.serial + guessed), Answer("a(so)", ([],)))
        told = ALL_LIES[self.lie](question)
        answer = (honest(question) or refusal(member)) if told is True else told
        if answer:
            if message.said.member == "Get" and answer.kind is Kind.RETURN and answer.raw is None and answer.signature:
                answer = Answer("v", (Variant(answer.signature, answer.values[0]),), after_s=answer.after_s)
            self.send(link, message, answer)

    def send(self, link: Link, to: Message, answer: Answer) -> None:
        data = encode_answer(to, answer)
        if answer.after_s:
            heapq.heappush(self.late, (time.monotonic() + answer.after_s, next(self.numbers), link, data))
        else:
            link.socket.sendall(data)

    def run(self) -> None:
        while True:
            wait = max(0.0, self.late[0][0] - time.monotonic()) if self.late else None
            for key, _ in self.selector.select(wait):
                act: Callable[[], None] = key.data
                act()
            while self.late and self.late[0][0] <= time.monotonic():
                _, _, link, data = heapq.heappop(self.late)
                if link.socket.fileno() >= 0:
                    link.socket.sendall(data)


if __name__ == "__main__":
    Peer(sys.argv[1], sys.argv[2]).run()
