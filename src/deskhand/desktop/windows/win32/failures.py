"""Requests that were not carried out."""


class Failure(Exception):
    """A request that was not carried out. `kind` is "gone", "hung" or "refused"."""

    kind = "refused"


class Gone(Failure):
    """The window, the item or the program does not exist any more."""

    kind = "gone"


class Hung(Failure):
    """The program does not answer messages."""

    kind = "hung"


class Refused(Failure):
    """The control cannot do it, now or at all."""


class OtherWordSize(Refused):
    """The program has 32 bits and its reader 64, or the other way round."""
