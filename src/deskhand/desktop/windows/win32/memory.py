"""Memory inside another program: for messages whose argument is an address there."""

import ctypes
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from ctypes import c_int, c_size_t, c_uint32
from typing import Final, TypeVar

from . import dlls
from .failures import Gone, OtherWordSize, Refused
from .messages import Sent, process_of, send_each
from .structures import Layout, Texted, decoded, encoded, size_of

SIZE: Final = 0x20000
"""The number of bytes that are borrowed from a program."""

_RIGHTS: Final = 0x1000 | 0x0008 | 0x0010 | 0x0020  # query, operate on, read and write its memory
_COMMIT: Final = 0x3000
_RELEASE: Final = 0x8000
_READ_WRITE: Final = 0x04
_RUNNING: Final = 259
_ARE_32: Final = ctypes.sizeof(c_size_t) == 4
_END_OF_32: Final = 1 << 32
_MOST_PROGRAMS: Final = 32


TEXT_UNITS: Final = 260
"""The longest text of an item that is read, with its final zero."""

_TEXT_BYTES: Final = TEXT_UNITS * 2
TEXTS_AT_ONCE: Final = 120
_TEXTS_START: Final = SIZE // 2

S = TypeVar("S", bound=Layout)
T = TypeVar("T", bound=Texted)


class Memory:
    """A block of a program's memory, which is used for one message or batch of messages after the other."""

    def __init__(self, process: int, start: int, *, in_32: bool = False) -> None:
        """`in_32`: the program has 32 bits, and this process has 64."""
        self._process = process
        self._in_32 = in_32
        self.start = start

    @property
    def alive(self) -> bool:
        """The program runs."""
        code = c_uint32()
        return bool(dlls.exit_code(self._process, ctypes.byref(code))) and code.value == _RUNNING

    def close(self) -> None:
        """Give up the access. The block stays until the program ends: another message may still be using it."""
        dlls.close_handle(self._process)

    def write(self, data: bytes, offset: int = 0) -> None:
        """Copy bytes into the block. Raises Gone."""
        self._check(dlls.write_memory(self._process, self.start + offset, data, len(data), None))

    def size_of(self, kind: type[Layout]) -> int:
        """The number of bytes that a structure has in the program."""
        return size_of(kind, in_32=self._in_32)

    def write_structures(self, structures: Iterable[Layout]) -> None:
        """Copy structures into the block, one after the other, as the program has them. Raises Gone."""
        self.write(b"".join(encoded(structure, in_32=self._in_32) for structure in structures))

    def read_structures(self, kind: type[S], count: int) -> list[S]:
        """The first structures of the block. Raises Gone."""
        each = self.size_of(kind)
        data = self.read(0, each * count)
        return [decoded(kind, data, at * each, in_32=self._in_32) for at in range(count)]

    def read(self, offset: int, size: int) -> bytes:
        """Bytes from the block. Raises Gone."""
        buffer = ctypes.create_string_buffer(size)
        self._check(dlls.read_memory(self._process, self.start + offset, buffer, size, None))
        return buffer.raw

    def read_at(self, address: int) -> bytes:
        """The bytes of a text elsewhere in the program, "" where none can be read."""
        buffer = ctypes.create_string_buffer(_TEXT_BYTES)
        done = address and dlls.read_memory(self._process, address, buffer, _TEXT_BYTES, None)
        return buffer.raw if done else b""

    def text_at(self, place: int) -> int:
        """The address of a place for a text of `TEXT_UNITS`, of which there are `TEXTS_AT_ONCE`."""
        return self.start + _TEXTS_START + place * _TEXT_BYTES

    def texts(self, count: int) -> list[str]:
        """The texts in the first places. Raises Gone."""
        data = self.read(_TEXTS_START, count * _TEXT_BYTES)
        return [wide(data[at * _TEXT_BYTES : (at + 1) * _TEXT_BYTES]) for at in range(count)]

    def _check(self, done: int) -> None:
        if not done:
            raise Gone("the program ended, or does not let its memory be read")


_borrowed: "OrderedDict[int, Memory]" = OrderedDict()


def memory_of(handle: int) -> Memory:
    """The block of the program of a window.

    Raises:
        Gone: there is no such program.
        Refused: its memory may not be used, as that of a program with more rights.
    """
    pid = process_of(handle)
    cached = _borrowed.get(pid)
    if cached is not None and cached.alive:
        _borrowed.move_to_end(pid)
        return cached
    if cached is not None:
        _borrowed.pop(pid).close()
    _borrowed[pid] = _borrow(pid)
    if len(_borrowed) > _MOST_PROGRAMS:
        _borrowed.popitem(last=False)[1].close()
    return _borrowed[pid]


def _borrow(pid: int) -> Memory:
    process = dlls.open_process(_RIGHTS, 0, pid) if pid else 0
    if not process:
        raise Gone(f"the process {pid} is gone, or may not be opened: error {dlls.last_error()}")
    in_32 = _has_32_bits(process)
    if _ARE_32 and not in_32 and _has_32_bits(dlls.this_process()):
        dlls.close_handle(process)
        raise OtherWordSize(f"the process {pid} is of 64 bits, and this one of 32; take a Python of 64 bits")
    start = dlls.allocate(process, 0, SIZE, _COMMIT, _READ_WRITE)
    if not start or (in_32 and start + SIZE > _END_OF_32):
        why = f"error {dlls.last_error()}" if not start else "it is out of the reach of its 32 bits"
        dlls.free(process, start, 0, _RELEASE)
        dlls.close_handle(process)
        raise Refused(f"the process {pid} does not give memory: {why}")
    return Memory(process, start, in_32=in_32 and not _ARE_32)


def _has_32_bits(process: int) -> bool:
    """The process has 32 bits, in a system of 64."""
    flag = c_int()
    return bool(dlls.is_small(process, ctypes.byref(flag))) and bool(flag.value)


def wide(data: bytes) -> str:
    """The text of UTF-16 units up to the first zero."""
    text = data.decode("utf-16-le", "replace")
    return text.split("\0", 1)[0]


def ask(handle: int, message: int, wanted: Sequence[tuple[int, S]]) -> list[S]:
    """The structures that a control fills in answer to `message`, each sent with its first argument.

    Raises:
        Gone, Hung: see `messages.send`.
        Refused: see `memory_of`.
    """
    found: list[S] = []
    most = SIZE // ctypes.sizeof(wanted[0][1]) if wanted else 1
    for at in range(0, len(wanted), most):
        found.extend(_ask_some(handle, message, wanted[at : at + most]))
    return found


def ask_texts(handle: int, message: int, wanted: Sequence[tuple[int, T]]) -> list[tuple[T, str]]:
    """The same for structures that ask for a text, with the texts. Raises as `ask` does."""
    memory = memory_of(handle)
    found: list[tuple[T, str]] = []
    for at in range(0, len(wanted), TEXTS_AT_ONCE):
        some = wanted[at : at + TEXTS_AT_ONCE]
        for place, (_, structure) in enumerate(some):
            structure.text = memory.text_at(place)
            structure.units = TEXT_UNITS
        addresses = [structure.text for _, structure in some]
        filled = _ask_some(handle, message, some)
        for address, structure, text in zip(addresses, filled, memory.texts(len(some)), strict=True):
            own = structure.text == address
            found.append((structure, text if own else wide(memory.read_at(structure.text))))
    return found


def _ask_some(handle: int, message: int, wanted: Sequence[tuple[int, S]]) -> list[S]:
    if not wanted:
        return []
    memory = memory_of(handle)
    each = memory.size_of(type(wanted[0][1]))
    memory.write_structures(structure for _, structure in wanted)
    send_each(handle, [Sent(message, first, memory.start + at * each) for at, (first, _) in enumerate(wanted)])
    return memory.read_structures(type(wanted[0][1]), len(wanted))
