"""The models run in a process that is there only while pictures are read."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import NDArray

from deskhand.core.errors import TextsUnread
from deskhand.core.geometry import Rect
from deskhand.desktop.picture_text.model_process import ModelProcess
from tests.support import wait_until_ended

PATIENCE_S = 30.0
CODE = """
import sys
from io import FileIO
from deskhand.core.geometry import Rect
from deskhand.desktop.picture_text.model_process import serve
from deskhand.desktop.picture_text.models import ReadLine

class Models:
    def find(self, pixels):
        return [Rect(1, 2, pixels.shape[1], pixels.shape[0])]

    def read(self, pixels, place):
        return ReadLine(f"{int(pixels[0, 0, 0])} of {pixels.size}", place, 0.5)

serve(FileIO(0, closefd=False), sys.stdout.buffer, Models, idle_s=float(sys.argv[1]))
"""


@contextmanager
def models(idle_s: float = PATIENCE_S) -> Generator[ModelProcess]:
    it = ModelProcess((sys.executable, "-c", CODE, str(idle_s)))
    try:
        yield it
    finally:
        it.close()


def pixels() -> NDArray[np.uint8]:
    return np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3)


def process_of(it: ModelProcess) -> int:
    assert it.find(pixels()) == [Rect(1, 2, 30, 20)]
    assert it.pid is not None
    return it.pid


@pytest.mark.requires("pictures.texts")
def test_a_line_is_read_from_its_own_pixels_and_told_at_its_place() -> None:
    with models() as it:
        line = it.read(pixels(), Rect(4, 1, 10, 3))
    assert (line.text, line.rect, line.score) == (f"{pixels()[1, 4, 0]} of {6 * 2 * 3}", Rect(4, 1, 10, 3), 0.5)


def test_the_process_ends_when_no_picture_comes_and_the_next_one_has_another() -> None:
    with models(idle_s=0.1) as it:
        first = process_of(it)
        wait_until_ended([first])
        assert process_of(it) != first


def test_where_the_process_is_killed_another_one_reads() -> None:
    with models() as it:
        first = process_of(it)
        os.kill(first, signal.SIGKILL)
        assert process_of(it) != first


def test_nothing_of_it_stays_after_the_end_and_nothing_is_read_any_more() -> None:
    with models() as it:
        first = process_of(it)
    wait_until_ended([first])
    with pytest.raises(TextsUnread):
        it.find(pixels())


def test_it_ends_with_the_process_that_it_is_for() -> None:
    parent = f"""
import time
import numpy as np
from deskhand.desktop.picture_text.model_process import ModelProcess
it = ModelProcess({(sys.executable, "-c", CODE, "30")!r})
it.find(np.zeros((2, 2, 3), np.uint8))
print(it.pid, flush=True)
time.sleep(30)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    wait_until_ended([child])
