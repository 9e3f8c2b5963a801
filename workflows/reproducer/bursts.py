# SPDX-License-Identifier: BSD-3-Clause
"""Bursts in C: messages to each peer that are under way at once."""

from __future__ import annotations

from collections.abc import Mapping

from isochron.workflows.reproducer.parts import Parts

#: Bursts: how many processes this one sends to and how many it receives from, the first of either, how many blocks each
#: buffer has, and how people name it.
HALF = "(rank + size / 2) % (size / 2 * 2)"
IN_A_PAIR = "rank < size / 2 * 2"
BURSTS: Mapping[str, tuple[str, str, str, str, str]] = {
    "burst": ("rank == 0", "rank == 1", "rank ^ 1", "", "to one process"),
    "burst-both-ways": ("rank < 2", "rank < 2", "rank ^ 1", "", "between two processes, both ways at the same time"),
    "burst-pairs": ("rank < size / 2", f"rank >= size / 2 && {IN_A_PAIR}", HALF, "", "to one process, in pairs"),
    "burst-pairs-both-ways": (IN_A_PAIR, IN_A_PAIR, HALF, "", "in pairs, both ways at the same time"),
    "fan-in": ("rank > 0", "rank == 0 ? size - 1 : 0", "rank == 0", "size * ", "from all other processes to the first"),
    "fan-out": ("rank == 0 ? size - 1 : 0", "rank > 0", "rank == 0", "size * ", "from the first process to all others"),
}


def burst_parts(name: str, burst: int) -> Parts:
    """Return the parts of an operation of `BURSTS`; `burst`: messages to each peer at once."""
    to, senders, first, times, where = BURSTS[name]
    acknowledged = [
        "for (int i = 0; i < from; i++)",
        "    MPI_Send(NULL, 0, MPI_BYTE, first + i, 1, comm);",
        "for (int i = 0; i < to; i++)",
        "    MPI_Recv(NULL, 0, MPI_BYTE, first + i, 1, comm, MPI_STATUS_IGNORE);",
    ]
    return Parts(
        function=f"{burst} messages at once by MPI_Isend and MPI_Irecv {where}",
        sends=f"{times}{burst}",
        receives=f"{times}{burst}",
        prepare=[
            f"const int burst = {burst}, to = {to};",
            f"const int from = {senders};",
            f"const int first = {first};",
            "MPI_Request *request = malloc((from + to + 1) * burst * sizeof *request);",
        ],
        call=[
            "for (int i = 0; i < from * burst; i++)",
            "    MPI_Irecv(recv + i * block, count, type, first + i % from, 0, comm, &request[i]);",
            "for (int i = 0; i < to * burst; i++)",
            "    MPI_Isend(send + i * block, count, type, first + i % to, 0, comm, &request[from * burst + i]);",
            "MPI_Waitall((from + to) * burst, request, MPI_STATUSES_IGNORE);",
            *([] if name.endswith("both-ways") else acknowledged),
        ],
        ready=[],
        release=["free(request);"],
    )
