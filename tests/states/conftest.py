"""Waiting costs nothing in this folder."""

from jumping_loop import jumping_backend

__all__ = ["jumping_backend"]
