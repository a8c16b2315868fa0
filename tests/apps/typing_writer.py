"""A document of LibreOffice Writer, told over UNO: `typing_writer.py STATE_FILE`. Needs the system's Python with `uno`.

`page` is the whole text, its paragraphs joined by line feeds; there is no other field. `focus` stays empty.
"""

import sys
from pathlib import Path

from oracle_office import Office
from texts import Texts


def main(path):
    office = Office("writer")

    def look():
        return {"line": "", "page": office.document.Text.String, "secret": "", "focus": ""}

    texts = Texts(path, look)
    while True:
        texts.write()
        office.tick()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
