"""How a call is put, and what comes back of it, whoever is asked."""

from dataclasses import dataclass, replace
from typing import Final

from deskhand.core.usage import Usage
from deskhand.models.language.prices import Price

_PICTURE_WORDS: Final = ("image", "picture", "vision", "multimodal", "multi-modal")


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How a call is made. `timeout_s` holds for one call; `max_output_tokens` None: as many as the provider gives.

    `price` None: that of the installed price lists.
    """

    timeout_s: float = 120.0
    max_output_tokens: int | None = None
    temperature: float | None = None
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """How a request is put: with a schema that the provider itself holds the reply to, and with pictures."""

    schema: bool = True
    pictures: bool = True

    def simpler(self, complaint: str) -> "Form | None":
        """The form to try after a server did not take this one: without what it complains of; None: there is none."""
        about_pictures = any(word in complaint.lower() for word in _PICTURE_WORDS)
        if self.pictures and (about_pictures or not self.schema):
            return replace(self, pictures=False)
        return replace(self, schema=False) if self.schema else None


@dataclass(frozen=True, slots=True)
class Said:
    """What came back. `cut`: it ended at the limit of its length; `refusal`: why it declined.

    `estimated`: the provider did not count the tokens, so they are ours, and the price is unknown.
    """

    text: str
    usage: Usage
    cut: bool = False
    refusal: str = ""
    estimated: bool = False
