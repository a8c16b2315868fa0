"""What GTK 4 tells without the borders and paddings around it is clicked all the same."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.toolkits.gtk4.hooks import Gtk4
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

PROGRAM: Final = ("/usr/bin/python3", str(ROOT / "tests/apps/padded_gtk4.py"))
LEAST: Final = 20
"""Controls that there are at least."""

EFFECT_S: Final = 20.0
WITHOUT, WITH = Gtk4("GTK", "4.18.6"), Gtk4("GTK", "4.8.3")


@pytest.mark.desktop
@pytest.mark.requires("desktop.geometry")
async def test_small_controls_deep_in_padding_are_clicked(tmp_path: Path) -> None:
    log = tmp_path / "pressed"
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("padded", (*PROGRAM, str(log)), window="^Padded$"))
        await desktop.activate(window)
        await desktop.settle(window)
        seen = (await desktop.observe(window, picture=False)).controls
        roles = {Role.BUTTON, Role.CHECKBOX}
        small = [control for control in seen if control.type in roles and control.name.startswith("small ")]
        assert len(small) >= LEAST
        for number, control in enumerate(small):

            async def heard(count: int = number + 1) -> list[str] | None:
                lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
                return lines if len(lines) == count else None

            await desktop.click(control.rect.center)
            pressed = await desktop.wait_until(heard, deadline_s=EFFECT_S)
            assert pressed, f"nothing was pressed at {control.rect} of {control.name}"
            assert pressed[-1] == control.name


def _nodes(*chain: Rect) -> dict[Ref, Node]:
    """Each in the one before."""
    refs = [Ref(":1.1", f"/{number}") for number in range(len(chain))]
    nodes: dict[Ref, Node] = {}
    for number, (ref, rect) in enumerate(zip(refs, chain, strict=True)):
        nodes[ref] = Node(ref, refs[number - 1] if number else None, 0, 1, rect=rect, children=refs[number + 1 :][:1])
    return nodes


@pytest.mark.requires("desktop.geometry")
@given(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), min_size=1, max_size=6))
def test_what_stands_alone_is_found_through_all_paddings_around_it(paddings: list[tuple[int, int]]) -> None:
    told = true = Rect(0, 0, 600, 500)
    chain, places = [told], [true]
    for across, down in paddings:
        true = Rect(true.left + across, true.top + down, true.right - across, true.bottom - down)
        told = Rect.from_extents(told.left, told.top, true.width, true.height)
        chain.append(told)
        places.append(true)
    nodes = _nodes(*chain)
    WITHOUT.place(Walk(nodes))
    assert [node.rect for node in nodes.values()] == places


@pytest.mark.requires("desktop.geometry")
def test_of_several_and_of_much_room_nothing_is_concluded() -> None:
    window, box, first, second = (Ref(":1.1", f"/{number}") for number in range(4))

    def nodes(right: int) -> dict[Ref, Node]:
        return {
            window: Node(window, None, 0, 1, rect=Rect(0, 0, 600, 500), children=[box]),
            box: Node(box, window, 0, 1, rect=Rect(0, 0, 600, 500), children=[first, second]),
            first: Node(first, box, 0, 1, rect=Rect(0, 0, right, 490), children=[second]),
            second: Node(second, first, 0, 1, rect=Rect(0, 0, right - 60, 490)),
        }

    found = nodes(580)
    WITHOUT.place(Walk(found))
    assert [node.rect for node in found.values()] == [node.rect for node in nodes(580).values()]


@pytest.mark.requires("desktop.geometry")
def test_what_is_told_with_its_padding_stays() -> None:
    chain = (Rect(0, 0, 600, 500), Rect(0, 0, 580, 480))
    nodes = _nodes(*chain)
    WITH.place(Walk(nodes))
    assert tuple(node.rect for node in nodes.values()) == chain
