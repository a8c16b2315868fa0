"""Lines of text are the same lines from picture to picture, however they are read."""

from deskhand.core.geometry import Rect
from deskhand.desktop.picture_text.lines import Line, followed

PLACE = Rect(10, 10, 80, 22)


class Picture:
    """The looks of places; those that were painted anew look otherwise."""

    def __init__(self, *painted: Rect) -> None:
        self._painted = painted

    def __call__(self, place: Rect) -> bytes:
        is_painted = any(not place.intersection(other).empty for other in self._painted)
        return repr((place, is_painted)).encode()


def line(text: str, place: Rect = PLACE, score: float = 0.99) -> Line:
    return Line(text, place, score)


def first(*lines: Line) -> tuple[Line, ...]:
    return followed((), lines, Picture())


def test_another_text_in_one_place_has_the_same_handle_and_its_own_name() -> None:
    (before,) = first(line("Counted 1 times"))
    (after,) = followed([before], [line("Counted 2 times")], Picture(PLACE))
    assert (after.text, after.handle) == ("Counted 2 times", before.handle)


def test_a_frame_around_a_text_is_no_other_text() -> None:
    (before,) = first(line("Frame me"))
    frame = Rect(6, 6, 84, 26)
    around = followed([before], [line("[Frame me|", frame)], Picture(Rect(6, 6, 84, 8)))
    assert around == (before,)
    (shaded,) = followed([before], [line("Frame me]", frame)], Picture(frame))
    assert (shaded.text, shaded.handle) == ("Frame me", before.handle)


def test_a_line_is_there_while_its_pixels_are_even_if_it_is_not_found() -> None:
    lines = first(line("Yes"), line("No", Rect(10, 40, 30, 52)))
    assert followed(lines, [lines[1]], Picture()) == lines
    assert [each.text for each in followed(lines, [lines[1]], Picture(PLACE))] == ["No"]


def test_what_another_window_covers_is_there_as_it_was() -> None:
    (before,) = first(line("Yes"))
    over = Rect(0, 0, 300, 300)
    assert followed([before], [line("Text of another window", Rect(5, 8, 200, 24))], Picture(PLACE), [over]) == (
        before,
    )


def test_a_new_line_has_to_be_sure_and_a_known_one_less_so() -> None:
    assert not first(line("Yes", score=0.6))
    assert not first(line("|— ."))
    (known,) = first(line("Yes"))
    (still,) = followed([known], [line("Yes", score=0.6)], Picture(PLACE))
    assert (still.text, still.handle) == ("Yes", known.handle)


def test_lines_are_listed_from_top_to_bottom_with_handles_of_their_own() -> None:
    lines = first(line("Second", Rect(10, 40, 70, 52)), line("First"))
    assert [each.text for each in lines] == ["First", "Second"]
    assert len({each.handle for each in lines}) == 2
