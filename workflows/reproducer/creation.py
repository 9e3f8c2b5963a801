# SPDX-License-Identifier: BSD-3-Clause
"""Communicators and windows in C: what makes one, and frees it before the next."""

from __future__ import annotations

from collections.abc import Mapping

from isochron.workflows.reproducer.parts import Parts

COMMUNICATOR = ["MPI_Comm made = MPI_COMM_NULL;"]
WINDOW = ["MPI_Win made = MPI_WIN_NULL;"]
#: The processes of `comm` in the opposite order.
GROUP = [
    "MPI_Group all, opposite;",
    "MPI_Comm_group(comm, &all);",
    "MPI_Group_range_incl(all, 1, (int[1][3]){{size - 1, 0, -1}}, &opposite);",
]
REVERSED = " of all processes, their order reversed"
#: Operations that make something: what is declared before, the call, and how people name it.
CREATION: Mapping[str, tuple[list[str], str, str]] = {
    "comm-dup": (COMMUNICATOR, "MPI_Comm_dup(comm, &made);", ""),
    "comm-split": (
        COMMUNICATOR,
        "MPI_Comm_split(comm, 0, size - rank, &made);",
        REVERSED,
    ),
    "comm-create-group": (
        [*COMMUNICATOR, *GROUP],
        "MPI_Comm_create_group(comm, opposite, 0, &made);",
        REVERSED,
    ),
    "win-create": (WINDOW, "MPI_Win_create(recv, block, 1, MPI_INFO_NULL, comm, &made);", ""),
    "win-allocate": (
        ["char *memory;", *WINDOW],
        "MPI_Win_allocate(block, 1, MPI_INFO_NULL, comm, &memory, &made);",
        "",
    ),
}


def creation_parts(name: str) -> Parts:
    """Return the parts of an operation of `CREATION`."""
    prepare, call, words = CREATION[name]
    kind = "Win" if name.startswith("win") else "Comm"
    groups = ["MPI_Group_free(&opposite);", "MPI_Group_free(&all);"] if prepare[-1] == GROUP[-1] else []
    return Parts(
        function=call.partition("(")[0] + words,
        sends="1",
        receives="1",
        prepare=prepare,
        call=[call],
        ready=[f"if (made != MPI_{kind.upper()}_NULL)", f"    MPI_{kind}_free(&made);"],
        release=[f"MPI_{kind}_free(&made);", *groups],
    )
