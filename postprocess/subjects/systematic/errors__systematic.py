# SPDX-License-Identifier: BSD-3-Clause
"""The systematic errors of benchmarks, numbered as by M. Kurnosov (MPIPerf, 2012), and what a ratio of them means."""

from __future__ import annotations

from dataclasses import dataclass

#: A ratio this near to 1 shows no error.
NEAR = 0.1


@dataclass(frozen=True)
class Error:
    """A systematic error: what is compared, and what it means where the ratio is above 1, below 1, or neither."""

    name: str
    wrong: str
    right: str
    above: str
    below: str
    near: str

    def reason(self, ratio: float) -> str:
        """The ratio in words."""
        return self.near if abs(ratio - 1) <= NEAR else self.above if ratio > 1 else self.below


ERRORS = {
    "E1": Error(
        "late initialisation",
        "the very first call of a launch",
        "later calls",
        "the first call opens connections or sets up what later calls find ready",
        "later calls met something else on the machine; the first did not pay",
        "nothing is left to the first call: MPI_Init has done it",
    ),
    "E2": Error(
        "the time of one process",
        "the duration on rank 0 alone",
        "last end less first start of all processes",
        "rank 0 measures more than the operation takes: its runs and the common ones differ",
        "rank 0 has done its part before the operation is over on all processes",
        "rank 0 takes part until the end",
    ),
    "E3": Error(
        "a rotating root",
        "a loop in which each operation has the next root",
        "a fixed root, each run from a common start",
        "each root waits for the others, which have not come out of the operation before",
        "operations with different roots overlap, so that their mean is less than one of them takes",
        "overlap and waiting cancel here",
    ),
    "E4": Error(
        "buffers in the cache",
        "the same buffers in every run",
        "buffers that no cache holds",
        "the machine differed between the two; caches cannot slow an operation down",
        "data of the run before lie in the cache, and are not fetched from memory",
        "the message is so short, or the library copies it so often, that the cache does not matter",
    ),
    "E5": Error(
        "a barrier as the common start",
        "after a barrier",
        "at a time on the global clock",
        "processes leave a barrier at different moments; who comes early waits within the timed call",
        "who leaves the barrier first has done its part when the others come",
        "the barrier lets all go nearly at once",
    ),
    "E6": Error(
        "a loop without synchronisation",
        "a loop of operations, the time divided by their number",
        "each run from a common start",
        "in the loop a process waits for what the others still do of the operation before",
        "in the loop operations follow each other like goods on a belt: one begins before the last has ended",
        "each operation lets no process go before all have come, or the last process sets the pace",
    ),
}
