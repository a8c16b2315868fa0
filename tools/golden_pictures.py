"""Writes the pictures of `tests/perception/golden` anew: `golden_pictures.py [NAME…]`. Look at them, then commit."""

import sys

from deskhand.store.png import encode_png
from tests.perception.golden_scenes import FOLDER, PICTURES


def main(names: list[str]) -> None:
    for name in names or PICTURES:
        path = FOLDER / f"{name}.png"
        path.write_bytes(encode_png(PICTURES[name]()))
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
