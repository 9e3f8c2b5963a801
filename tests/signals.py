# SPDX-License-Identifier: BSD-3-Clause
"""Signals as a program meets them that is not started by `nohup`: it lets SIGHUP be ignored by all that it starts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def action(number: signal.Signals, handler: signal.Handlers = signal.SIG_DFL) -> Iterator[None]:
    """Programs that are started meanwhile have this action for the signal, whatever this process has."""
    previous = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, previous)
