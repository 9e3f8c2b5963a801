# SPDX-License-Identifier: BSD-3-Clause
"""Operations of threads in C: the call of one thread, made by several at the same time, with OpenMP."""

from __future__ import annotations

import re

from isochron.workflows.reproducer.parts import Parts

#: The option of compilers for programs with threads.
FLAG = "-fopenmp"
#: Requests that the program of one thread allocates once: here every thread has them on its stack.
ALLOCATED = re.compile(r"MPI_Request \*request = malloc\((.*) \* sizeof \*request\);")
#: The tag of a message, before the communicator or the buffer that MPI_Sendrecv receives into.
TAG = re.compile(r", ([01]), (comm|recv)\b")
MESSAGE = re.compile(r"MPI_(I?send|I?recv|Sendrecv)\(", re.IGNORECASE)


def thread_parts(parts: Parts, threads: int, *, comms: bool) -> Parts:
    """Return parts in which each of `threads` threads of a process makes the call, on one communicator or its own.

    Every thread has blocks and tags of its own.
    """
    requests: list[str] = []
    prepare: list[str] = []
    for line in parts.prepare:
        allocated = ALLOCATED.fullmatch(line)
        if allocated is not None:
            requests.append(f"MPI_Request request[{allocated[1]}];")
        else:
            (requests if line.startswith("MPI_Request ") else prepare).append(line)
    call = [_with_tags(line) for line in parts.call]
    used = "\n".join(call)
    blocks = {"send": parts.sends, "recv": parts.receives}
    sides = [side for side in blocks if f"{side}," in used or f"{side} +" in used]
    local = [f"char *const {side} = {side}s + {_blocks(blocks[side])} * thread;" for side in sides]
    if comms:
        prepare += [
            f"MPI_Comm comms[{threads}];",
            f"for (int i = 0; i < {threads}; i++)",
            "    MPI_Comm_dup(comm, &comms[i]);",
        ]
        local.append("const MPI_Comm comm = comms[thread];")
    freed = [f"for (int i = 0; i < {threads}; i++)", "    MPI_Comm_free(&comms[i]);"] if comms else []
    where = "each with a communicator of its own" if comms else "on one communicator"
    return Parts(
        function=f"{parts.function}, by {threads} threads of each process, {where}",
        sends=_times(threads, parts.sends),
        receives=_times(threads, parts.receives),
        prepare=[*prepare, *(f"char *const {side}s = {side};" for side in sides)],
        call=[
            f"#pragma omp parallel num_threads({threads})",
            "{",
            *(f"    {line}" for line in ["const int thread = omp_get_thread_num();", *local, *requests, *call]),
            "}",
        ],
        ready=parts.ready,
        release=[*freed, *(line for line in parts.release if line != "free(request);")],
    )


def _with_tags(line: str) -> str:
    """Return the line with tags of the thread, if it is of messages: a root is a number in the same place."""
    if not MESSAGE.search(line):
        return line
    return TAG.sub(lambda match: f", 2 * thread{' + 1' if match[1] == '1' else ''}, {match[2]}", line)


def _blocks(number: str) -> str:
    return "block" if number == "1" else f"{number} * block"


def _times(threads: int, number: str) -> str:
    return str(threads) if number == "1" else f"{threads} * {number}"
