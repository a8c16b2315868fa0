"""Walking a text in memory, and where its caret stands."""

from collections.abc import AsyncGenerator, Sequence
from typing import cast

import pytest

from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply
from deskhand.desktop.linux.toolkits.libreoffice.writer.body_traversal import Walk
from deskhand.desktop.linux.toolkits.libreoffice.writer.caret import find_caret
from deskhand.desktop.linux.toolkits.libreoffice.writer.paragraph_chain import Chain, Direction, Place
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker

BUS = ":1.1"


class Text:
    """A chain of paragraphs, called by their places, and of pieces of tables, by theirs: "3 Sales"."""

    def __init__(self, *places: str) -> None:
        self.places = [place(name) for name in places]
        self.walked = 0

    def walk(self, start: int) -> Walk:
        return Walk(cast("Chain", self), self.places[start])

    async def follow(self, start: Place, direction: Direction) -> AsyncGenerator[Place]:
        index = self.places.index(start)
        beside = self.places[index + 1 :] if direction is Direction.FORWARD else self.places[:index][::-1]
        for one in beside:
            self.walked += 1
            yield one


class Answers:
    """Says of one paragraph that it has the caret."""

    def __init__(self, paragraph: str) -> None:
        self._paragraph = paragraph

    async def ask_leniently(self, asked: Sequence[Call]) -> list[Reply]:
        return [[2 if call.path == f"/{self._paragraph}" else -1] for call in asked]


def place(name: str) -> Place:
    number, _, table = name.partition(" ")
    return Place(Ref(BUS, f"/{number}"), Ref(BUS, f"/{number}/table") if table else None, table)


def named(walk: Walk) -> list[str]:
    return ["+".join(one.paragraph.path.strip("/") for one in group) for group in walk.groups]


@pytest.mark.parametrize("start", range(7))
async def test_pieces_of_a_table_are_one_wherever_the_walk_begins(start: int) -> None:
    text = Text("0", "1 Sales", "2 Sales", "3 Sales", "4", "5 Other", "6 Last")
    walk = text.walk(start)
    assert not walk.surrounds("Sales")
    await walk.until(lambda: walk.surrounds("Sales"))
    assert "1+2+3" in named(walk)
    await walk.until(lambda: False)
    assert named(walk) == ["0", "1+2+3", "4", "5", "6"]
    assert [walk.index_of(table) for table in ("Sales", "Other", "Last", "None")] == [1, 3, 4, -1]
    assert (walk.ends_with("Last"), walk.ends_with("Other"), walk.ends_with("None")) == (True, False, False)
    assert walk.group_beside("Sales", -1) == (text.places[0],)
    assert walk.group_beside("Sales", -2) is None
    assert walk.group_beside("", 3) == (text.places[4],)


async def test_a_text_is_not_gone_through_again_at_each_step() -> None:
    class Counted(Walk):
        built = 0

        @property
        def groups(self) -> list[tuple[Place, ...]]:
            Counted.built += 1
            return super().groups

    text = Text(*map(str, range(4000)), "4000 Sales", "4001")
    walk = Counted(cast("Chain", text), text.places[0])
    await walk.until(lambda: walk.surrounds("Sales"))
    assert (walk.index_of("Sales"), Counted.built) == (4000, 0)
    await walk.until(lambda: walk.group_beside("Sales", -4000) is not None)
    assert Counted.built == 1


async def test_where_a_caret_stands_without_a_table_is_counted_from_the_beginning() -> None:
    walk = Text("0", "1", "2", "3").walk(2)
    caret = await find_caret(cast("Asker", Answers("2")), walk, "")
    assert caret is not None
    assert walk.group_beside("", caret.distance) == (place("2"),)
