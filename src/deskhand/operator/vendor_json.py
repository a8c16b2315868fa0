"""Parts of requests and replies that several vendors have."""

import base64
from fractions import Fraction

from pydantic import ValidationError

from deskhand.operator.actions import ActionOutcome, Picture, Size
from deskhand.operator.anthropic import SKIPPED


def line_of(outcome: ActionOutcome) -> str:
    """The text of an outcome for vendors without a mark for errors."""
    if outcome.skipped:
        return SKIPPED
    return f"Failed: {outcome.text}" if outcome.failed else outcome.text


def problem_of(error: ValidationError) -> str:
    """The first problem of data of a vendor, with the name of the part that has it."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def base64_of(picture: Picture) -> str:
    return base64.b64encode(picture.data).decode()


def fit_into(box: Size, size: Size, *, enlarge: bool) -> Size:
    """The largest size of about this shape whose longer side fits into that of the box, and its shorter one too."""
    sides, room = sorted((size.width, size.height)), sorted((box.width, box.height))
    share = min(Fraction(most, side) for most, side in zip(room, sides, strict=True))
    if share >= 1 and not enlarge:
        return size
    return Size(max(1, int(size.width * share)), max(1, int(size.height * share)))
