"""Writes the pictures of `tests/perception/golden` anew: `golden_pictures.py [NAME…]`. Look at them before you commit."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from perception.golden_scenes import FOLDER, PICTURES  # noqa: E402 - tests are found by then

from deskhand.store.png import encode_png  # noqa: E402


def main(names: list[str]) -> None:
    for name in names or PICTURES:
        path = FOLDER / f"{name}.png"
        path.write_bytes(encode_png(PICTURES[name]()))
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
