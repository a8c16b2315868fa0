"""Observations of windows: their controls, places and pictures, and the cache of the last one."""
