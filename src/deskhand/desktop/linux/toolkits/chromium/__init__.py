"""Chromium, and programs built with it."""
