"""Findings on the accessibility of an application: controls that assistive programs and tests cannot name or use."""
