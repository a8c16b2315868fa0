"""Texts of unknown origin and length, made fit to stand on one line of something bounded."""

CUT = "…"


def cut(text: str, most: int) -> str:
    """The text in at most `most` bytes of UTF-8; where it is longer, its beginning and `…`, where there is room for it.

    Halves of characters (lone surrogates), which no UTF-8 can carry, become `?`.
    """
    data = text[: most + 1].encode("utf-8", errors="replace")
    if len(data) <= most:
        return data.decode()
    room = most - size(CUT)
    return data[:room].decode("utf-8", errors="ignore") + CUT if room >= 0 else ""


def one_line(text: str, most: int) -> str:
    """The text with its line ends and runs of spaces as single spaces, in at most `most` bytes of UTF-8."""
    longest = 2 * most + 100
    whole = " ".join(text[:longest].split())
    return cut(f"{whole}{CUT}" if len(text) > longest else whole, most)


def size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text.encode("utf-8", errors="replace"))
