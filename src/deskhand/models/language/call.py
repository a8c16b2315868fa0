"""Form and result of a call, independent of the provider."""

from dataclasses import dataclass, replace
from typing import Final

from deskhand.core.usage import Usage
from deskhand.models.language.prices import Price

_PICTURE_WORDS: Final = ("image", "picture", "vision", "multimodal", "multi-modal")


@dataclass(frozen=True, slots=True)
class CallSettings:
    """Settings of a call. `timeout_s` applies to one call; `max_output_tokens` None: the provider's limit.

    `price` None: that of the installed price lists.
    """

    timeout_s: float = 120.0
    max_output_tokens: int | None = None
    temperature: float | None = None
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """Form of a request: with a schema that the provider enforces, with a strict one, and with pictures."""

    schema: bool = True
    pictures: bool = True
    strict: bool = False

    def simpler(self, complaint: str) -> "Form | None":
        """The form to try after a server rejected this one, without the rejected part; None: there is none."""
        about_pictures = any(word in complaint.lower() for word in _PICTURE_WORDS)
        if self.pictures and (about_pictures or not self.schema):
            return replace(self, pictures=False)
        if self.schema and self.strict:
            return replace(self, strict=False)
        return replace(self, schema=False) if self.schema else None

    def beyond(self, simpler: "Form") -> str:
        """The part that a simpler form lacks."""
        lost = {"pictures": self.pictures != simpler.pictures, "a strict schema": self.strict != simpler.strict}
        return next((part for part, is_lost in lost.items() if is_lost), "a schema")


@dataclass(frozen=True, slots=True)
class CallResult:
    """Result of a call. `cut`: it ended at the length limit; `refusal`: reason why the model declined.

    `estimated`: the provider did not count the tokens, so they are estimates, and the price is unknown.
    """

    text: str
    usage: Usage
    cut: bool = False
    refusal: str = ""
    estimated: bool = False
