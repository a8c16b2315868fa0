"""Checkers: they look at what was made, never at what an agent claims (contract 2.3)."""
