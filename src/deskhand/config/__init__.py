"""Typed, frozen settings, and the one reader of configuration files and environment."""
