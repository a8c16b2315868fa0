"""Observations prepared for decisions: labels, annotated pictures, merged groundings, compact lists.

Nothing here captures: pixels and controls are arguments.
"""
