"""Addresses of servers."""

from urllib.parse import urlsplit


def is_address(text: str) -> bool:
    """Whether a text is the address of a server that speaks HTTP."""
    try:
        parts = urlsplit(text)
        well = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or a host that cannot be
        return False
    return well and text.isprintable() and " " not in text
