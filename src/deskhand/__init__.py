"""Deskhand."""
