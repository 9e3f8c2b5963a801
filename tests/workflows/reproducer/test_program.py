# SPDX-License-Identifier: BSD-3-Clause
"""Programs of all operations: how long they are, what they call, and what cannot be written as one."""

from __future__ import annotations

from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.schemas.engine.contract import Operation, contract
from isochron.schemas.engine.options import EngineOptions
from isochron.workflows.reproducer.operations import NOT_PLAIN
from isochron.workflows.reproducer.program import MOST_LINES, WIDTH, make_program

OPERATIONS = {one.name: one for one in contract().operations}
PLAIN = [one for one in OPERATIONS.values() if one.group not in NOT_PLAIN]


def program(operation: str, *, size: int = 1024, processes: int = 2, us: float = 1.0, **options: Any) -> str:
    """Return a program."""
    return make_program(operation, size, processes, EngineOptions(**options), us, "A is slower than B.", one_node=True)


@pytest.mark.parametrize("datatype", ["auto", "vector:4:2:8", "indexed:3@0,1@8"])
@pytest.mark.parametrize("operation", PLAIN, ids=lambda one: one.name)
def test_every_program_is_short_enough_to_be_read(operation: Operation, datatype: str) -> None:
    if datatype != "auto" and (operation.reduces or not operation.data):
        return
    lines = program(operation.name, datatype=datatype).splitlines()
    assert len(lines) <= MOST_LINES == 150
    assert max(map(len, lines)) <= WIDTH
    assert not any("isochron" in line.lower() or "{root}" in line for line in lines)
    assert sum(line.count("{") - line.count("}") for line in lines) == 0


@pytest.mark.parametrize(
    ("scheme", "one_node", "agreed"),
    [("window", True, True), ("round-time", True, True), ("window", False, False), ("mpi-barrier", True, False)],
)
def test_processes_start_at_an_agreed_time_where_they_have_one_clock(scheme: str, one_node: bool, agreed: bool) -> None:
    text = make_program("reduce", 8, 2, EngineOptions(scheme=scheme), 1.0, "A is slower than B.", one_node=one_node)
    assert ("while (now() < start)" in text, "MPI_Barrier(" in text) == (agreed, not agreed)
    assert ("#include <time.h>" in text, "MPI_Wtime() - start" in text) == (agreed, not agreed)


def test_most_operations_have_a_program() -> None:
    assert len(PLAIN) > 80
    assert {one.group for one in OPERATIONS.values()} - {one.group for one in PLAIN} == set(NOT_PLAIN)


@pytest.mark.parametrize(
    ("operation", "options", "lines"),
    [
        ("bcast", {"root": 1}, ["MPI_Bcast(recv, count, type, 1, comm);"]),
        ("iallgather", {}, ["MPI_Iallgather(send, count, type, recv, count, type, comm, &request);"]),
        ("allreduce", {"reduce_op": "max"}, ["const int count = 256;", "send, recv, count, type, MPI_MAX, comm"]),
        ("reduce_init", {}, ["MPI_Reduce_init(", "MPI_Start(&request);", "MPI_Request_free(&request);"]),
        ("alltoallw", {}, ["places[i] = (int)(i * block);", "buffer(size * block)", "free(types);"]),
        ("neighbor_alltoallw", {}, ["places[i] = (MPI_Aint)(i * block);", "buffer(4 * block)", "MPI_Cart_create("]),
        ("gatherv", {}, ["buffer((size_t)count);", "buffer(size * (size_t)count);", "places[i] = i * count;"]),
        ("ping-pong", {"datatype": "vector:4:2:8"}, ["const int count = 128;", "(blocks, 0, 32, &type)", "rank < 2"]),
        ("multi-ping-pong", {"datatype": "indexed:3@0,1@8"}, ["starts[] = {0, 8};", "0, 9, &type", "partner < size"]),
        ("transfer-4", {}, ["MPI_Irecv(", "MPI_Rsend("]),
        ("burst", {"burst": 8}, ["burst = 8, to = rank == 0;", "buffer(8 * block)", "first + i, 1, comm);"]),
        ("fan-in", {}, ["from = rank == 0 ? size - 1 : 0;", "buffer(size * 64 * block)", "&request[i]);"]),
        ("ping-pong@vector-32", {}, ["const int count = 2;", "MPI_Type_vector(16, 32, 64, MPI_BYTE, &blocks);"]),
        (
            "bcast@indexed",
            {"datatype": "int"},
            ["const int count = 16;", "lengths[] = {4, 12, 8, 40}", "MPI_Bcast(recv"],
        ),
        ("pack", {"datatype": "vector:4:2:8"}, ["MPI_Pack(send, count, type, packed, bytes, &position, comm);"]),
        ("unpack", {}, ["MPI_Pack(send,", "MPI_Unpack(packed, bytes, &position, recv, count, type, comm);"]),
        ("put", {}, ["MPI_Win_allocate(block", "MPI_Put(send, count, type, 1, place,", "MPI_Win_flush(1, win);"]),
        (
            "get",
            {"rma_window": "dynamic", "rma_sync": "pscw"},
            ["&place);", "MPI_Get(recv,", "} else if (rank == 1) {"],
        ),
        ("accumulate", {"reduce_op": "max"}, ["char *send =", "MPI_Accumulate(send,", "count, type, MPI_MAX, win);"]),
        ("get_accumulate", {}, ["char *recv =", "(send, count, type, recv, count, type, 1, place,"]),
        ("put-burst", {"burst": 8}, ["buffer(8 * block)", "allocate(8 * block, 1,", "1, place + i * block, count,"]),
        (
            "put-burst-both-ways",
            {"rma_sync": "pscw"},
            ["MPI_Win_post(partner, 0, win);\n", "(send + i * block, count, type, 1 - rank, place + i * block,"],
        ),
        ("fetch_and_op", {"rma_window": "create"}, ["static char *buffer(", "memory = buffer(block);"]),
        ("compare_and_swap", {}, ["block = sizeof(int);", "(&own, &compared, &former, MPI_INT, 1, place, win);"]),
        ("comm-split", {}, ["if (made != MPI_COMM_NULL)", "MPI_Comm_split(comm, 0, size - rank, &made);"]),
        ("comm-create-group", {}, ["&opposite);", "MPI_Comm_create_group(", "MPI_Group_free(&all);"]),
        ("win-create", {}, ["char *recv = buffer(block);", "MPI_Win_create(recv, block, 1,", "MPI_Win_free(&made);"]),
        ("win-allocate", {"scheme": "loop", "batch": 16}, ["&memory, &made);", "        if (made != MPI_WIN_NULL)"]),
        (
            "threads-ping-pong",
            {"threads": 3},
            ["MPI_Init_thread(", "buffer(3 * block)", "num_threads(3)", "partner, 2 * thread, comm);"],
        ),
        (
            "threads-comms-burst-pairs",
            {"threads": 2, "burst": 8},
            [
                "buffer(2 * 8 * block)",
                "request[(from + to + 1) * burst];",
                "8 * block * thread;",
                "2 * thread + 1, comm",
            ],
        ),
        (
            "threads-comms-bcast",
            {"threads": 2},
            ["#include <omp.h>", "= comms[thread];", "MPI_Bcast(recv, count, type, 0, comm);"],
        ),
        ("bcast", {"threads": 1}, ["MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);"]),
        ("barrier", {}, ["MPI_Barrier(comm);"]),
        ("allgather", {"scheme": "loop", "batch": 16}, ["CALLS = 16", "for (int n = 0; n < CALLS; n++) {", "/ CALLS;"]),
    ],
)
def test_the_call_is_that_of_the_engine(operation: str, options: dict[str, Any], lines: list[str]) -> None:
    text = program(operation, **options)
    for line in lines:
        assert line in text


def test_reductions_of_other_sizes_take_characters() -> None:
    assert "MPI_SIGNED_CHAR" in program("allreduce", size=6)
    assert "MPI_FLOAT" in program("allreduce", size=8)


@pytest.mark.parametrize(("us", "repetitions"), [(0.2, 1000), (30.0, 500), (3e5, 20)])
def test_a_batch_is_as_long_as_the_call_permits(us: float, repetitions: int) -> None:
    assert f"REPETITIONS = {repetitions} }}" in program("bcast", us=us)


@pytest.mark.parametrize(
    ("operation", "options", "message"),
    [
        ("basic-send-10", {}, "its time is calculated from several measurements"),
        ("wait-pattern-up", {}, "it is a wait of the engine"),
        ("no-such", {}, "the engine has no such operation"),
        ("allgather", {"in_place": True}, "the run has engine.in_place: true"),
        ("allgatherv", {"counts": "unbalanced"}, "the run has engine.counts: unbalanced"),
        ("neighbor_allgather", {"topology": "graph"}, "the run has engine.topology: graph"),
        ("bcast", {"scheme": "rotating-root"}, "the run has engine.scheme: rotating-root"),
        ("ping-pong", {"group_size": 2}, "the run has engine.group_size: 2"),
        ("burst-pairs", {"group_size": 2}, "the run has engine.group_size: 2"),
    ],
)
def test_what_has_no_plain_program_is_refused(operation: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(FileError, match=f"{operation}: cannot be written as a plain program: {message}"):
        program(operation, **options)


def test_an_option_that_does_not_matter_is_no_obstacle() -> None:
    assert "MPI_Allgather(" in program("allgather", counts="unbalanced", topology="graph")
