# SPDX-License-Identifier: BSD-3-Clause
"""The time of day, for programs that measure how long they have waited with it."""

from __future__ import annotations

import time
from collections.abc import Callable


def steady_clock() -> Callable[[], float]:
    """Return a function like `time.time` that does not follow later changes of the machine's clock.

    It starts at the present time of day and advances with the monotonic clock, in s.
    """
    start = time.time() - time.monotonic()

    def time_of_day() -> float:
        return start + time.monotonic()

    return time_of_day
