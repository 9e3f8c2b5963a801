# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's locks on files, as far as the file system has them."""

from __future__ import annotations

import fcntl
from typing import IO, Any


def lock(stream: IO[Any], *, wait: bool) -> bool:
    """Lock an open file for this process alone. False where the file system has no locks.

    Raises BlockingIOError where another process holds it and `wait` is false.
    """
    try:
        fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True
