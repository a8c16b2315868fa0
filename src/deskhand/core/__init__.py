"""Shared vocabulary: plain types, events, errors, and the ports that upper rooms implement.

Nothing here touches a desktop, a disk, a network or a clock.
"""
