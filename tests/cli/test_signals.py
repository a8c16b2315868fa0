"""Signals that stop the running work."""

import signal

import anyio

from deskhand.cli.signals import received_by_handlers, received_stops


async def test_signals_are_received_where_event_loops_take_none() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with received_by_handlers(signal.SIGTERM) as received, anyio.fail_after(5.0):
        signal.raise_signal(signal.SIGTERM)
        assert await anext(aiter(received)) is signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


async def test_a_stop_is_received_by_the_event_loop() -> None:
    with received_stops() as received, anyio.fail_after(5.0):
        signal.raise_signal(signal.SIGTERM)
        assert await anext(aiter(received)) is signal.SIGTERM
