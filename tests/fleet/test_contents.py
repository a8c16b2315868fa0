"""Files that tasks read, sent to a node by their content; the node is a folder."""

from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import UsageError
from deskhand.fleet.contents import ContentStore, Input, NodeContents, Shipment


class Node:
    """A node that takes note of all that it is sent."""

    def __init__(self, folder: Path) -> None:
        self.store = ContentStore(folder / "contents")
        self.contents = NodeContents(self.send)
        self.sent: list[str] = []

    async def send(self, digest: str, offset: int, data: bytes, last: bool) -> None:
        await anyio.lowlevel.checkpoint()
        self.sent.append(digest)
        self.store.take(digest, offset, data, last)

    async def bring(self, shipment: Shipment, inputs: tuple[Input, ...]) -> None:
        await self.contents.bring(shipment, [digest for item in inputs for _, digest in item.files])


@pytest.mark.requires("fleet.files")
async def test_equal_files_of_tasks_that_begin_at_once_are_sent_once(tmp_path: Path) -> None:
    node, shipment = Node(tmp_path), Shipment()
    (tmp_path / "a.csv").write_text("1;2")
    (tmp_path / "b.csv").write_text("1;2")
    ours = [shipment.inputs([tmp_path / name], tmp_path / "out") for name in ("a.csv", "b.csv", "a.csv")]
    async with anyio.create_task_group() as group:
        for inputs in ours:
            group.start_soon(node.bring, shipment, inputs)
    assert len(node.sent) == 1
    places = node.store.lay_out(ours[1], tmp_path / "task", tmp_path / "beside")
    assert {path: place.read_text() for path, place in places.items()} == {str(tmp_path / "b.csv"): "1;2"}
    assert places[str(tmp_path / "b.csv")].name == "b.csv"


@pytest.mark.requires("fleet.files")
async def test_a_large_file_arrives_in_pieces_as_it_is(tmp_path: Path) -> None:
    node, shipment = Node(tmp_path), Shipment()
    content = bytes(range(256)) * (9 << 12)  # 9 MB
    (tmp_path / "big.bin").write_bytes(content)
    inputs = shipment.inputs([tmp_path / "big.bin"], tmp_path / "out")
    await node.bring(shipment, inputs)
    (place,) = node.store.lay_out(inputs, tmp_path / "task", tmp_path / "beside").values()
    assert place.read_bytes() == content
    assert len(node.sent) == 3


@pytest.mark.requires("fleet.files")
async def test_folders_arrive_with_their_empty_folders_and_files_of_the_task_in_its_folder(tmp_path: Path) -> None:
    node, shipment = Node(tmp_path), Shipment()
    (tmp_path / "book/empty").mkdir(parents=True)
    (tmp_path / "book/one.txt").write_text("one")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/in.csv").write_text("in")
    inputs = shipment.inputs([tmp_path / "book", tmp_path / "out/in.csv"], tmp_path / "out")
    await node.bring(shipment, inputs)
    places = node.store.lay_out(inputs, tmp_path / "task", tmp_path / "beside")
    book = places[str(tmp_path / "book")]
    assert sorted(path.name for path in book.iterdir()) == ["empty", "one.txt"]
    assert places[str(tmp_path / "out/in.csv")] == tmp_path / "task/in.csv"


@pytest.mark.requires("fleet.files")
async def test_a_file_that_was_changed_is_sent_again_and_one_that_changes_meanwhile_is_an_error(tmp_path: Path) -> None:
    node, shipment, file = Node(tmp_path), Shipment(), tmp_path / "a.csv"
    file.write_text("old")
    await node.bring(shipment, shipment.inputs([file], tmp_path / "out"))
    file.write_text("newer")
    inputs = shipment.inputs([file], tmp_path / "out")
    await node.bring(shipment, inputs)
    assert len(node.sent) == 2
    (place,) = node.store.lay_out(inputs, tmp_path / "task", tmp_path / "beside").values()
    assert place.read_text() == "newer"
    file.write_text("newest of all")
    changed = shipment.inputs([file], tmp_path / "out")
    file.write_text("again another")
    with pytest.raises(UsageError, match="was changed while it was sent"):
        await node.bring(shipment, changed)
