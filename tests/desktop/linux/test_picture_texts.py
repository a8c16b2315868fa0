"""Texts that an application only draws are read from the picture, found, and clicked; judged by its own state file."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from deskhand.commands.window_lookup import listed
from deskhand.core.command import Effect, Result
from deskhand.core.errors import ElementStale
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.ports import CheckResult
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.type_checks import items_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.labels import Labeller
from desktop.linux.changing import APPS, SYSTEM_PYTHON
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.moving import mover

pytestmark = pytest.mark.desktop

DRAWN: Final = ("tk", "gtk3", "qt", "chromium")
PATIENCE_S: Final = 10.0
WITHIN: Final = 4
"""Pixels that the place of a text may differ from the toolkit's own."""


@dataclass(frozen=True)
class Words:
    """The drawn dialog of one toolkit."""

    desktop: LinuxDesktop
    window: TargetInfo
    state_file: Path

    def state(self) -> JsonObject:
        return json.loads(self.state_file.read_text(encoding="utf-8"))

    async def read(self) -> dict[str, TargetInfo]:
        """The texts that are read from the picture, once the dialog is drawn and knows its place."""

        async def shown() -> dict[str, TargetInfo] | None:
            seen = await self.desktop.observe(self.window, picture=False)
            texts = {c.name: c for c in seen.controls if Trait.READ_FROM_PICTURE in c.traits}
            return texts if texts.keys() >= self.places().keys() and self.places() else None

        return await self.desktop.wait_until(shown, deadline_s=PATIENCE_S) or {}

    def places(self) -> dict[str, list[int]]:
        """The texts that the dialog draws, with the places that its toolkit gives them."""
        lines = self.state()["lines"] if self.state_file.exists() else []
        assert isinstance(lines, list)
        return {str(line["text"]): line["rect"] for line in lines}  # type: ignore[index] - the fixture's own file

    async def click(self, name: str) -> Result:
        target = (await self.read())[name]
        return await Tools(self.desktop).run(self.window, "click_input", target)

    async def verified(self, how: str, name: str) -> CheckResult:
        expect: JsonValue = {how: {"name": name}}
        looked = await Tools(self.desktop).run(self.window, "verify", None, expect=expect, wait_s=0)
        (check,) = items_of(looked.result, CheckResult)
        return check


async def move(desktop: LinuxDesktop, window: TargetInfo, x: int, y: int) -> None:
    """Have the window manager move a window, and return when it did."""
    before = await listed(desktop, window)

    async def has_moved() -> bool:
        now = await listed(desktop, window)
        return before is not None and now is not None and now.rect != before.rect

    with mover(desktop.environment) as moving:
        moving.move(window, x, y)
    assert await desktop.wait_until(has_moved, deadline_s=PATIENCE_S)
    await desktop.settle(window)


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(tmp_path_factory.mktemp("words")) as desktop:
        yield desktop


@asynccontextmanager
async def words_in(
    desktop: LinuxDesktop, toolkit: str, folder: Path, theme: str = "light", *more: str
) -> AsyncGenerator[Words]:
    state_file = folder / "state.json"
    argv = (SYSTEM_PYTHON, str(APPS / f"words_{toolkit}.py"), str(state_file), theme, *more)
    window = await desktop.launch(Application(f"words-{toolkit}", argv))
    try:
        yield Words(desktop, window, state_file)
    finally:
        await desktop.ask_to_close(window, deadline_s=PATIENCE_S)


@pytest.mark.full("other toolkits take the same way", but=["tk-dark", "gtk3-light"])
@pytest.mark.requires("pictures.texts", "pictures.clicks")
@pytest.mark.parametrize(("toolkit", "theme"), [*zip(DRAWN, ("dark", "light", "dark", "light"), strict=True)])
async def test_what_is_drawn_is_read_and_clicked(
    desktop: LinuxDesktop, tmp_path: Path, toolkit: str, theme: str
) -> None:
    async with words_in(desktop, toolkit, tmp_path, theme) as words:
        texts = await words.read()
        assert sum(len(text.split()) for text in words.places()) == 40
        assert texts.keys() == words.places().keys()
        for name, place in words.places().items():
            off = [abs(a - b) for a, b in zip(texts[name].rect.to_list(), place, strict=True)]
            assert max(off) <= WITHIN, f"{name}: {off}"

        counted = await words.click("Count up")
        assert counted.effect is Effect.CONFIRMED, counted.evidence
        assert "Counted 1 times" in counted.evidence
        assert "read from the picture" in counted.evidence
        for nothing in ("Do nothing", "Frame me"):
            done = await words.click(nothing)
            assert done.delivered
            assert done.effect is Effect.UNVERIFIABLE, done.evidence
        assert words.state()["clicks"] == ["Count up", "Do nothing", "Frame me"]


@pytest.mark.full("commands/test_background_changes has texts that blink")
@pytest.mark.requires("pictures.clicks")
async def test_a_text_that_changes_by_itself_or_for_a_moment_confirms_no_click(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    async with words_in(desktop, "tk", tmp_path, "light", "lying") as words:
        for name, before in [("Do nothing", 0), ("Frame me", 0), ("Do nothing", 0), ("Count up", 0), ("Do nothing", 1)]:
            target = await Tools(desktop).find(words.window, name, Role.TEXT)
            done = await Tools(desktop).run(words.window, "click_input", target)
            is_true = words.state()["count"] != before
            assert is_true or done.effect is not Effect.CONFIRMED, f"{name}: {done.evidence}"


@pytest.mark.requires("pictures.texts", "pictures.ids", "observe.treeless")
async def test_texts_of_a_treeless_window_keep_their_ids_are_found_and_never_proven_absent(
    desktop: LinuxDesktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with words_in(desktop, "tk", tmp_path) as words:
        before = await words.read()
        seen = await desktop.observe(words.window)
        assert seen.truncated is not None
        assert seen.truncated.reason.endswith("its texts were read from the picture")
        labeller = Labeller()
        ids = {control.name: control.id for control in labeller.label(seen)}
        await words.click("Count up")
        after = {control.name: control.id for control in labeller.label(await desktop.observe(words.window))}
        assert {name for name in after if ids.get(name) != after[name]} == {"Counted 1 times"}
        assert after["Counted 1 times"] not in ids.values()

        found = await Tools(desktop).run(words.window, "find_controls", None, text="1,284")
        assert found.result == [{"id": "", "role": "text", "name": "Total: 1,284.50 EUR", "value": ""}]
        waited = await Tools(desktop).run(words.window, "wait_for", None, text="Counted 1", seconds=PATIENCE_S)
        assert waited.ok, waited.evidence
        assert (await words.verified("shows", "Counted 1 times")).ok
        assert not (await words.verified("gone", "Counted 0 times")).known

        await move(desktop, words.window, 333, 222)
        moved = await desktop.resolve(before["Do nothing"])
        assert moved.rect.to_list() != before["Do nothing"].rect.to_list()
        with pytest.raises(ElementStale, match="not read from the picture any more"):
            await Tools(desktop).run(words.window, "click_input", before["Counted 0 times"])

        (tmp_path / "over").mkdir()
        async with words_in(desktop, "tk", tmp_path / "over") as over:
            await move(desktop, over.window, 343, 232)
            covered = (await desktop.observe(words.window, picture=False)).truncated
            assert covered is not None
            assert covered.reason.endswith('; texts below "Words" are not known')
            for how in ("shows", "gone"):
                assert not (await words.verified(how, "Counted 1 times")).known

        desktop.reads_pictures = False
        assert (await desktop.observe(words.window, picture=False)).controls == ()
        desktop.reads_pictures = True
        monkeypatch.setattr("deskhand.desktop.linux.observe.drawn_parts.is_installed", lambda: False)
        lacking = (await desktop.observe(words.window, picture=False)).truncated
        assert lacking is not None
        assert lacking.reason.endswith('python -m pip install "deskhand[vision]"')
