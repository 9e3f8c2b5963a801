# SPDX-License-Identifier: BSD-3-Clause
"""Signals other than Ctrl-C that ask a command to end."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def when_asked_to_end(call: Callable[[int], None]) -> Iterator[None]:
    """Call `call` with the number of a signal: SIGTERM, and SIGHUP (lost connection) unless it is ignored."""

    def handle(number: int, _frame: FrameType | None) -> None:
        call(number)

    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    previous = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
