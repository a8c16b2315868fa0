"""What our side costs for one call of a model: `bench_prompt.py [REPEATS]` prints medians, part by part.

The window is an office-like one of 1920x1080 with about a hundred controls. `clock` is what the step waits, `cpu` what
this process computes, on all its threads: on a busy machine only the second says something. `one picture` is the clean
one alone; `all three` are those of a step in the middle of a subtask: the last step, clean, annotated. The annotated
picture is drawn for the log in any case, and counts here all the same. `made ahead` is what the program does: the
thread that writes the log scales and packs them from the moment they are taken, while the step goes on.
"""

import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

import anyio

from deskhand.core.geometry import Rect
from deskhand.core.model import ModelRequest, PictureLimits
from deskhand.core.observation import Picture, PixelOrder
from deskhand.core.replies import AppAgentResponse
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.canvas import Annotated, Drawing, highlighted
from deskhand.perception.compact import compact
from deskhand.pipeline.pictures import PromptPictures, Shown
from deskhand.pipeline.step_picture import StepPicture
from deskhand.prompts import MessageConstructor
from tools.app_request import app_request
from tools.bench_pictures import SIZE, busy_screen, controls

UNSCALED: Final = PictureLimits(max_side=2048, max_pixels=4_000_000)
SCALED: Final = PictureLimits(max_side=1568, max_pixels=1_200_000)
Work = Callable[[], Awaitable[object]]


def screen() -> Picture:
    """As a screen gives it."""
    return Picture(busy_screen().tobytes("raw", "BGRX"), Rect(0, 0, *SIZE), PixelOrder.BGRX)


def asked() -> ModelRequest:
    targets = controls()
    window = TargetInfo(TargetKind.WINDOW, "Book", Role.WINDOW, Rect(0, 0, *SIZE), handle="w")
    return app_request(window, targets, targets[:-1])


async def measured(works: Mapping[str, Work], repeats: int) -> dict[str, tuple[float, float]]:
    """Medians of clock and cpu in ms; the works take turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for turn in range(repeats + 2):
        for name, work in works.items():
            clock, cpu = time.perf_counter(), time.process_time()
            await work()
            if turn >= 2:  # the first ones warm up
                times[name].append(((time.perf_counter() - clock) * 1000, (time.process_time() - cpu) * 1000))
    return {name: (statistics.median(c for c, _ in t), statistics.median(p for _, p in t)) for name, t in times.items()}


async def main(repeats: int) -> None:
    picture, request = screen(), asked()
    constructor = MessageConstructor("app", AppAgentResponse)

    def clean() -> Shown:
        return Shown("clean", StepPicture(lambda: picture))

    def step(limits: PictureLimits, before: Drawing) -> list[Shown]:
        now = StepPicture(lambda: picture)
        last = StepPicture(highlighted(before, picture.rect, request.controls[0]))
        annotated = StepPicture(Annotated(now.drawing, picture, request.controls, limits))
        return [Shown("last", last), Shown("clean", now), Shown("annotated", annotated)]

    def earlier(limits: PictureLimits) -> Drawing:
        """The last step's picture, which was scaled when it was sent."""
        drawing = Drawing(lambda: picture)
        drawing.scaled(limits)
        return drawing

    async def listed() -> object:
        return compact(request.controls)

    async def messages() -> object:
        return constructor.messages(request, "")

    async def call(shown: list[Shown], limits: PictureLimits | None) -> object:
        images = await PromptPictures(shown).for_model(limits)
        return constructor.messages(replace(request), "", images)

    unscaled, scaled = earlier(UNSCALED), earlier(SCALED)
    ahead = step(SCALED, scaled)
    works: dict[str, Work] = {
        "compact list": listed,
        "messages, text alone": messages,
        "call, text alone": lambda: call([], None),
        "call, one picture as it is": lambda: call([clean()], UNSCALED),
        "call, one picture scaled": lambda: call([clean()], SCALED),
        "call, all three made ahead": lambda: call(ahead, SCALED),
        "call, all three as they are": lambda: call(step(UNSCALED, unscaled), UNSCALED),
        "call, all three scaled": lambda: call(step(SCALED, scaled), SCALED),
    }
    for name, (clock, cpu) in (await measured(works, repeats)).items():
        print(f"{name:30} clock {clock:7.2f} ms   cpu {cpu:7.2f} ms")
    for name, limits, before in (("as it is", UNSCALED, unscaled), ("scaled", SCALED, scaled)):
        for part in await PromptPictures(step(limits, before)).for_model(limits):
            print(f"{name:10} {len(part.data) // 1024:5} KiB {part.media_type}  {part.caption}")


if __name__ == "__main__":
    anyio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 25)
