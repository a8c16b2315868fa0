"""Windows of one application that are called alike and stand in one place: neither is seen, nor used, for another."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import SomePlace, a11y_address, linux_desktop
from documents import Text, write_odt

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.same-titles")]

WRITER: Final = Application("writer", ("soffice", "--writer"), ("soffice", "--writer", "{file}"), "Writer$")


def letter(folder: Path, words: str) -> Path:
    inside = folder / words
    inside.mkdir()
    return write_odt(inside / "letter.odt", Text(words))


async def words_in(desktop: LinuxDesktop, window: TargetInfo) -> list[str]:
    seen = await desktop.observe(window, picture=False)
    return [control.value for control in seen.controls if control.type is Role.PARAGRAPH and control.value]


async def in_front(desktop: LinuxDesktop, window: TargetInfo) -> None:
    await desktop.activate(window)
    await desktop.settle(window)


@asynccontextmanager
async def stranger_to(desktop: LinuxDesktop) -> AsyncGenerator[LinuxDesktop]:
    """Somebody who saw nothing of what happened before."""
    environment = desktop.environment
    place = SomePlace("visitor", environment["DISPLAY"], environment, await a11y_address(environment))
    stranger = await attach(place)
    try:
        yield stranger
    finally:
        await stranger.close()


async def test_each_of_two_documents_of_one_name_is_seen_as_it_is_whichever_is_in_front(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        windows = [await desktop.launch(WRITER, letter(tmp_path, words)) for words in ("first", "second")]
        assert len({window.name for window in windows}) == 1
        assert len({window.rect for window in windows}) == 1
        for front in (*windows, *reversed(windows)):
            await in_front(desktop, front)
            async with stranger_to(desktop) as stranger:
                for visitor in (desktop, stranger):
                    assert [await words_in(visitor, window) for window in windows] == [["first"], ["second"]]


@pytest.mark.full("three of one name are rare; two are tried")
async def test_of_three_the_one_in_front_is_known_and_the_others_are_not_guessed(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        names = ("first", "second", "third")
        windows = [await desktop.launch(WRITER, letter(tmp_path, words)) for words in names]
        await in_front(desktop, windows[1])
        async with stranger_to(desktop) as stranger:
            assert await words_in(stranger, windows[1]) == ["second"]
            for window in (windows[0], windows[2]):
                seen = await stranger.observe(window, picture=False)
                assert not seen.controls
                assert seen.truncated is not None
                assert "cannot be distinguished" in seen.truncated.reason
        assert [await words_in(desktop, window) for window in windows] == [[words] for words in names]
