# SPDX-License-Identifier: BSD-3-Clause
"""Asked to end, once or more often; stopped for a while; and started twice."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from tests.soak import processes
from tests.soak.failure import expect
from tests.soak.faults import work
from tests.soak.faults.kills import WHOLE_S
from tests.soak.life import RUN, Life


def asked(life: Life) -> None:
    """SIGINT, SIGTERM or SIGHUP to the driver or its group, perhaps again."""
    call = work.start(life)
    time.sleep(life.random.uniform(0, WHOLE_S))
    number = life.random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    send = life.random.choice([os.kill, os.killpg])
    for _ in range(life.random.choice([1, 1, 2, 3])):
        with suppress(ProcessLookupError):
            send(call.child.pid, number)
        time.sleep(life.random.uniform(0, 1))
    life.note(f"{number.name} by {send.__name__}")
    life.end(call)


def frozen(life: Life) -> None:
    """SIGSTOP of one process, and SIGCONT some seconds later."""
    victim = life.random.choice(list(processes.VICTIMS))
    call = work.start(life)
    pid = processes.wait_for(life.room, victim, lambda: call.ended)
    time.sleep(life.random.uniform(0, 0.3))
    if pid is not None:
        processes.send(pid, signal.SIGSTOP)
        time.sleep(life.random.uniform(0.2, 3))
        processes.send(pid, signal.SIGCONT)
    life.note(f"stopped for a while: {victim}")
    life.end(call)


def twice(life: Life) -> None:
    """A second driver at nearly the same time: it is refused, or comes too late to be."""
    first = work.start(life)
    time.sleep(life.random.uniform(0, 2))
    second = life.start(*RUN)
    codes = life.end(second), life.end(first)
    expect(all(code in (0, 1, 2) for code in codes), f"two drivers ended with {codes}")
    expect(0 in codes, f"neither of two drivers has completed the run: {codes}")
