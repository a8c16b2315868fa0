"""Checkers: they look at what was made, never at what an agent claims (SPEC 2.3)."""
