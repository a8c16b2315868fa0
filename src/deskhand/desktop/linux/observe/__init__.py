"""Observations of windows: what they show, where it is, and what of it may be reused."""
