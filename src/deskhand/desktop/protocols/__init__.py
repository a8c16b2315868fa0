"""Protocols of a desktop, one for each subject, implemented by every backend.

Rules for all methods: none hangs, each has a deadline and raises at it; none acts on anything but its arguments; errors
are those of `core.errors`; a `TargetInfo` is addressed by its `handle` alone unless a method documents otherwise.
Points and rectangles are physical screen pixels. One caller at a time may act, a second concurrent action raises
DesktopBusy. Besides the errors that a method names, each may raise DesktopGone, and one that takes a window or a
control ApplicationGone, ApplicationUnresponsive or, for a control, ElementStale.
"""
