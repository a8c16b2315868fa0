"""Checkers: they examine the result, never an agent's claims."""
