# SPDX-License-Identifier: BSD-3-Clause
"""Delivery of what a spool holds, with retry: bounded, with pauses that double."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from isochron.workflows.push.batch import Batch, Receiver, RefusedError, UnreachableError
from isochron.workflows.push.spool import Spool

#: Pauses in s before a batch is sent again: half a minute together, in which a service restarts.
PAUSES = (1, 2, 4, 8, 16)


@dataclass
class Outcome:
    """What became of the batches of a spool: delivered; kept, with the reason of each that the receiver refused."""

    delivered: list[Batch] = field(default_factory=list)
    kept: list[Batch] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def deliver(
    spool: Spool, receiver: Receiver, say: Callable[[str], None], pause: Callable[[float], None] = time.sleep
) -> Outcome:
    """Send all batches of a locked spool, the oldest run first; each is forgotten when the receiver has confirmed it.

    A batch that is refused stays, and the next one is sent. If the receiver cannot be reached, all that are left stay.
    `say` is told why the command waits.
    """
    outcome = Outcome()
    batches = spool.batches()
    for index, batch in enumerate(batches):
        try:
            _persist(batch, receiver, say, pause)
        except RefusedError as error:
            outcome.kept.append(batch)
            outcome.reasons.append(f"{batch.run_id}: {error}")
        except UnreachableError as error:
            outcome.kept += batches[index:]
            outcome.reasons.append(str(error))
            break
        else:
            spool.confirm(batch)
            outcome.delivered.append(batch)
    return outcome


def _persist(batch: Batch, receiver: Receiver, say: Callable[[str], None], pause: Callable[[float], None]) -> None:
    """Send a batch until the receiver confirms it. Raises RefusedError at once, UnreachableError after all pauses."""
    for seconds in PAUSES:
        try:
            return receiver.accept(batch)
        except UnreachableError as error:
            say(f"{error}; trying again in {seconds} s")
            pause(seconds)
    return receiver.accept(batch)
