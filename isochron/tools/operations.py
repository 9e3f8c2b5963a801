# SPDX-License-Identifier: BSD-3-Clause
"""Names of benchmarks in the engine's words, where operation and meaning of the size are the same.

IMB and OSU give collectives the size that the engine does: the vector, or the block for each process. Where they do
not, a benchmark has no name here: its numbers are kept, and nothing is compared with them.
"""

from __future__ import annotations

import re

_COLLECTIVES = (
    *("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall"),
    *("alltoallv", "alltoallw", "reduce", "allreduce", "scan", "exscan"),
)
#: Operations whose size other tools count in the same way.
SAME = frozenset((*_COLLECTIVES, "ping-pong", "ping-ping", "sendrecv", "exchange"))
_MESSAGES = {"pingpong": "ping-pong", "pingping": "ping-ping", "sendrecv": "sendrecv", "exchange": "exchange"}
#: Operations that move no data: tools print no size, 0 or -1.
NO_DATA = frozenset({"barrier"})


def operation(benchmark: str) -> str:
    """The engine's name of `MPI_Bcast`, `Bcast`, `PingPong` …; empty where the engine measures nothing the same."""
    word = re.sub(r"^mpi_", "", benchmark.lower())
    name = _MESSAGES.get(word, word)
    return name if name in SAME else ""
