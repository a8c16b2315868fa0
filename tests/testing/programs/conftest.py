"""Three tests of each program in CI; all of them with DESKHAND_TRIALS=full, and in `make bench-testing`."""

from pathlib import Path

import pytest

from support import FULL

IN_CI = 3


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if FULL:
        return
    left_out: list[pytest.Item] = []
    for file in {item.path for item in items if item.path.parent == Path(__file__).parent}:
        left_out += [item for item in items if item.path == file][IN_CI:]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
