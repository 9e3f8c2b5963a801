# SPDX-License-Identifier: BSD-3-Clause
"""What asks a command to end, beside Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def when_asked_to_end(call: Callable[[int], None]) -> Iterator[None]:
    """Meanwhile SIGTERM makes this call, and SIGHUP (the connection is gone), unless `nohup` made it ignored.

    `call`: it gets the number of the signal.
    """

    def heed(number: int, _frame: FrameType | None) -> None:
        call(number)

    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    previous = {number: signal.signal(number, heed) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
