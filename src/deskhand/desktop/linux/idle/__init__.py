"""Waiting until the user interface is idle: events, pixels and the thread of the application."""
