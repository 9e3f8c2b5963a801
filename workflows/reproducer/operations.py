# SPDX-License-Identifier: BSD-3-Clause
"""The operations in C: what is declared and made for each, its call, and what is freed.

A text is composed of the arguments of a collective, its form (blocking, nonblocking, persistent), and the blocks that
the engine's description names; or of the partners of a process and the messages between them.

In the program exist `rank`, `size`, `comm`, `count` elements of `type` in a block of `block` bytes, and the buffers
`send` and `recv`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isochron.common.files import FileError
from isochron.schemas.engine.contract import Operation, base_operation, contract, in_a_thread
from isochron.schemas.engine.options import EngineOptions
from isochron.workflows.reproducer.bursts import BURSTS, burst_parts
from isochron.workflows.reproducer.creation import CREATION, creation_parts
from isochron.workflows.reproducer.one_sided import ONE_SIDED, one_sided_parts
from isochron.workflows.reproducer.parts import Parts
from isochron.workflows.reproducer.threads import thread_parts

#: Operations without a plain program, by group: why.
NOT_PLAIN = {
    "basic": "its time is calculated from several measurements",
    "wait-patterns": "it is a wait of the engine, in which no MPI call is timed",
    "test": "it is an operation of the engine for tests",
}


def parts_of(name: str, engine: EngineOptions) -> Parts:
    """Return the parts of an operation as the options of a run have it. Raises FileError if it has no plain program.

    Its datatype is that of `type`, so that of its name does not matter here.
    """
    name = base_operation(name)
    for operation in contract().operations:
        if operation.name == name:
            if operation.group in NOT_PLAIN:
                raise FileError(f"{name}: cannot be written as a plain program: {NOT_PLAIN[operation.group]}")
            if operation.threads:
                one = parts_of(in_a_thread(name), engine)
                return thread_parts(one, max(1, engine.threads), comms=name.startswith("threads-comms-"))
            reduction = f"MPI_{engine.reduce_op.upper()}"
            if name in BURSTS:
                return burst_parts(name, engine.burst)
            if name in PACKING:
                return _packing(name)
            if name in CREATION:
                return creation_parts(name)
            if name.partition("-")[0] in ONE_SIDED:
                return one_sided_parts(name, engine.rma_window, engine.rma_sync, reduction, engine.burst)
            if name in MESSAGES:
                return _messages(operation)
            return _collective(operation, engine.root, reduction)
    raise FileError(f"{name}: cannot be written as a plain program: the engine has no such operation")


#: Arguments of the collectives, up to the communicator. `places`: displacements.
ARGUMENTS = {
    "barrier": "",
    "bcast": "recv, count, type, {root}",
    "gather": "send, count, type, recv, count, type, {root}",
    "gatherv": "send, count, type, recv, counts, places, type, {root}",
    "scatter": "send, count, type, recv, count, type, {root}",
    "scatterv": "send, counts, places, type, recv, count, type, {root}",
    "allgather": "send, count, type, recv, count, type",
    "allgatherv": "send, count, type, recv, counts, places, type",
    "alltoall": "send, count, type, recv, count, type",
    "alltoallv": "send, counts, places, type, recv, counts, places, type",
    "alltoallw": "send, counts, places, types, recv, counts, places, types",
    "reduce": "send, recv, count, type, {reduction}, {root}",
    "allreduce": "send, recv, count, type, {reduction}",
    "reduce_scatter": "send, recv, counts, type, {reduction}",
    "reduce_scatter_block": "send, recv, count, type, {reduction}",
    "scan": "send, recv, count, type, {reduction}",
    "exscan": "send, recv, count, type, {reduction}",
}

#: A periodic grid in two dimensions, on which each process has four neighbours.
GRID = [
    "int sides[2] = {0, 0}, periodic[2] = {1, 1};",
    "MPI_Dims_create(size, 2, sides);",
    "MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &comm);",
]


def _collective(operation: Operation, root: int, reduction: str) -> Parts:
    base = operation.name.removesuffix("_init")
    if base not in ARGUMENTS and base.removeprefix("neighbor_") not in ARGUMENTS:
        base = base.removeprefix("i")
    neighbours = base.startswith("neighbor_")
    blocks = {"nothing": "0", "block": "1", "each": "size", "peers": "4"}
    arguments = ARGUMENTS[base.removeprefix("neighbor_")].format(root=root, reduction=reduction)
    words = ", ".join(filter(None, [arguments, "comm"]))
    function = f"MPI_{operation.name.capitalize()}"
    prepare = list(GRID) if neighbours else []
    release = ["MPI_Comm_free(&comm);"] if neighbours else []
    if operation.varied:
        vectors, free = _vectors(arguments, "4" if neighbours else "size", in_bytes=base.endswith("w"), aint=neighbours)
        prepare, release = prepare + vectors, free + release
    wait = "MPI_Wait(&request, MPI_STATUS_IGNORE);"
    if operation.persistent:
        prepare += ["MPI_Request request;", f"{function}({words}, MPI_INFO_NULL, &request);"]
        call, release = ["MPI_Start(&request);", wait], ["MPI_Request_free(&request);", *release]
    elif operation.name.removeprefix("i") == base != operation.name:
        prepare += ["MPI_Request request;"]
        call = [f"{function}({words}, &request);", wait]
    else:
        call = [f"{function}({words});"]
    return Parts(function, blocks[operation.sends], blocks[operation.receives], prepare, call, [], release)


def _vectors(arguments: str, blocks: str, *, in_bytes: bool, aint: bool) -> tuple[list[str], list[str]]:
    """Return the lines that make counts, displacements and types of equal blocks, and those that free them."""
    kinds = {"counts": "int", "places": "MPI_Aint" if in_bytes and aint else "int", "types": "MPI_Datatype"}
    unit = "block" if in_bytes else "count"
    cast = "" if unit == "count" else f"({kinds['places']})"
    values = {"counts": "count", "places": f"{cast}(i * {unit})" if cast else "i * count", "types": "type"}
    names = [name for name in kinds if name in arguments.split(", ")]
    made = [f"{kinds[name]} *{name} = malloc({blocks} * sizeof *{name});" for name in names]
    filled = [f"    {name}[i] = {values[name]};" for name in names]
    return [*made, f"for (int i = 0; i < {blocks}; i++) {{", *filled, "}"], [f"free({name});" for name in names]


@dataclass(frozen=True)
class Partners:
    """With whom a process exchanges messages. `count`: of its partners; `active`: which processes take part."""

    prepare: list[str]
    count: str
    active: str = ""


PAIR = Partners(["const int partner = rank ^ 1;"], "1", "rank < 2")
PAIRS = Partners(["const int partner = rank ^ 1; /* the last of an odd number has none */"], "1", "partner < size")
CHAIN = Partners(["const int next = (rank + 1) % size, previous = (rank + size - 1) % size;"], "1")
RING = Partners(["const int partner[2] = {(rank + size - 1) % size, (rank + 1) % size};"], "2")
NEIGHBOURS = Partners(["const int partners = 2;", *RING.prepare], "2")
COMPLETE = Partners(
    [
        "const int partners = size - 1;",
        "int *partner = malloc(partners * sizeof *partner);",
        "for (int i = 0; i < partners; i++)",
        "    partner[i] = i < rank ? i : i + 1;",
    ],
    "size",
)
STAR = Partners(
    [
        "const int partners = rank == 0 ? size - 1 : 1;",
        "int *partner = malloc(partners * sizeof *partner);",
        "for (int i = 0; i < partners; i++)",
        "    partner[i] = rank == 0 ? i + 1 : 0;",
    ],
    "size",
)

#: Messages with one partner, and with partner i.
SEND = "MPI_Send(send, count, type, partner, 0, comm);"
RECV = "MPI_Recv(recv, count, type, partner, 0, comm, MPI_STATUS_IGNORE);"
ISEND = "MPI_Isend(send, count, type, partner, 0, comm, &request{0});"
IRECV = "MPI_Irecv(recv, count, type, partner, 0, comm, &request{0});"
WAIT = "MPI_Wait(&request, MPI_STATUS_IGNORE);"
WAIT_TWO = "MPI_Waitall(2, request, MPI_STATUSES_IGNORE);"
EACH = "for (int i = 0; i < partners; i++)"
RECV_I = "MPI_Recv(recv + i * block, count, type, partner[i], 0, comm, MPI_STATUS_IGNORE);"
ISEND_I = "MPI_Isend(send + i * block, count, type, partner[i], 0, comm, &request[{0}]);"
IRECV_I = "MPI_Irecv(recv + i * block, count, type, partner[i], 0, comm, &request[{0}]);"
BARRIER = "MPI_Barrier(comm);"

ONE_REQUEST = ["MPI_Request request;"]
TWO_REQUESTS = ["MPI_Request request[2];"]
MANY_REQUESTS = ["MPI_Request *request = malloc(2 * partners * sizeof *request);"]

THERE_AND_BACK = ["if (rank % 2 == 0) {", f"    {SEND}", f"    {RECV}", "} else {", f"    {RECV}", f"    {SEND}", "}"]
ISEND_RECV = [ISEND.format(""), RECV, WAIT]
CHAINED = [
    "MPI_Sendrecv(send, count, type, next, 0, recv, count, type, previous, 0, comm, MPI_STATUS_IGNORE);",
]
EXCHANGE = [EACH, f"    {ISEND_I.format('i')}", EACH, f"    {RECV_I}"]
EXCHANGE += ["MPI_Waitall(partners, request, MPI_STATUSES_IGNORE);"]
ALL_AT_ONCE = [EACH, f"    {ISEND_I.format('i')}", EACH, f"    {IRECV_I.format('partners + i')}"]
ALL_AT_ONCE += ["MPI_Waitall(2 * partners, request, MPI_STATUSES_IGNORE);"]


@dataclass(frozen=True)
class Messages:
    """Messages in C. `named`: the calls as people name them; `requests`: their declaration."""

    partners: Partners
    call: list[str]
    requests: list[str]
    named: str
    ready: list[str] | None = None
    make: list[str] | None = None
    free: list[str] | None = None


PINGPONG = Messages(PAIR, THERE_AND_BACK, [], "MPI_Send and MPI_Recv, there and back")
PINGPING = Messages(PAIR, ISEND_RECV, ONE_REQUEST, "MPI_Isend and MPI_Recv, both ways at the same time")
SENDRECV = Messages(CHAIN, CHAINED, [], "MPI_Sendrecv, each process to the next")
EXCHANGES = Messages(NEIGHBOURS, EXCHANGE, MANY_REQUESTS, "MPI_Isend and MPI_Recv with both neighbours")

MESSAGES: Mapping[str, Messages] = {
    "ping-pong": PINGPONG,
    "multi-ping-pong": Messages(PAIRS, PINGPONG.call, [], f"{PINGPONG.named}, in pairs"),
    "ping-ping": PINGPING,
    "multi-ping-ping": Messages(PAIRS, PINGPING.call, ONE_REQUEST, f"{PINGPING.named}, in pairs"),
    "sendrecv": SENDRECV,
    "multi-sendrecv": SENDRECV,
    "exchange": EXCHANGES,
    "multi-exchange": EXCHANGES,
    "transfer-1": PINGPONG,
    "transfer-2": Messages(
        PAIR,
        [CHAINED[0].replace("next", "partner").replace("previous", "partner")],
        [],
        "MPI_Sendrecv, both ways at the same time",
    ),
    "transfer-3": Messages(
        PAIR,
        [ISEND.format("[0]"), IRECV.format("[1]"), WAIT_TWO],
        TWO_REQUESTS,
        "MPI_Isend and MPI_Irecv, both ways at the same time",
    ),
    "transfer-4": Messages(
        PAIR,
        ["MPI_Rsend(send, count, type, partner, 0, comm);", WAIT],
        ONE_REQUEST,
        "MPI_Rsend, both ways at the same time",
        ready=[
            IRECV.format(""),
            "/* a ready send is correct only if its receive is posted */",
            "MPI_Sendrecv(NULL, 0, MPI_BYTE, partner, 1, NULL, 0, MPI_BYTE, partner, 1, comm, MPI_STATUS_IGNORE);",
        ],
    ),
    "transfer-5": Messages(
        PAIR,
        ["MPI_Startall(2, request);", WAIT_TWO],
        TWO_REQUESTS,
        "MPI_Startall of persistent messages, both ways at the same time",
        make=[
            "MPI_Recv_init(recv, count, type, partner, 0, comm, &request[0]);",
            "MPI_Send_init(send, count, type, partner, 0, comm, &request[1]);",
        ],
        free=["MPI_Request_free(&request[0]);", "MPI_Request_free(&request[1]);"],
    ),
    "star": Messages(
        STAR,
        [
            "if (rank == 0) {",
            *(f"    {line}" for line in ALL_AT_ONCE),
            "} else {",
            "    MPI_Recv(recv, count, type, 0, 0, comm, MPI_STATUS_IGNORE);",
            "    MPI_Send(send, count, type, 0, 0, comm);",
            "}",
            BARRIER,
        ],
        MANY_REQUESTS,
        "messages between the first process and each other one, answered, and MPI_Barrier",
    ),
    "ring": Messages(
        RING,
        [
            "for (int to = 1; to >= 0; to--) { /* to the right, then to the left */",
            f"    {ISEND_I.format('0').replace('i * block', 'to * block').replace('[i]', '[to]')}",
            f"    {IRECV_I.format('1').replace('i * block', '(1 - to) * block').replace('[i]', '[1 - to]')}",
            f"    {WAIT_TWO}",
            "}",
            BARRIER,
        ],
        TWO_REQUESTS,
        "messages around a ring, in one direction and then the other, and MPI_Barrier",
    ),
    "chaos": Messages(
        COMPLETE,
        [
            "/* to the processes above; each of those below is answered when its message has come */",
            "for (int i = rank; i < partners; i++)",
            f"    {ISEND_I.format('i')}",
            EACH,
            f"    {IRECV_I.format('partners + i')}",
            "for (int came = 0; came < partners; came++) {",
            "    int i;",
            "    MPI_Waitany(partners, request + partners, &i, MPI_STATUS_IGNORE);",
            "    if (i < rank)",
            f"        {ISEND_I.format('i')}",
            "}",
            "MPI_Waitall(partners, request, MPI_STATUSES_IGNORE);",
            BARRIER,
        ],
        MANY_REQUESTS,
        "messages between all processes, answered, and MPI_Barrier",
    ),
    "istar": Messages(
        STAR,
        [*ALL_AT_ONCE, BARRIER],
        MANY_REQUESTS,
        "MPI_Isend and MPI_Irecv between the first process and each other one, and MPI_Barrier",
    ),
    "iring": Messages(
        NEIGHBOURS,
        [*ALL_AT_ONCE, BARRIER],
        MANY_REQUESTS,
        "MPI_Isend and MPI_Irecv between neighbours on a ring, and MPI_Barrier",
    ),
    "ichaos": Messages(
        COMPLETE,
        [*ALL_AT_ONCE, BARRIER],
        MANY_REQUESTS,
        "MPI_Isend and MPI_Irecv between all processes, and MPI_Barrier",
    ),
}


def _messages(operation: Operation) -> Parts:
    messages = MESSAGES[operation.name]
    partners = messages.partners
    allocated = [
        line.split(" = ")[0].split("*")[1] for line in partners.prepare + messages.requests if "malloc" in line
    ]

    def taking_part(lines: list[str] | None) -> list[str]:
        if not lines or not partners.active:
            return lines or []
        if len(lines) == 1:
            return [f"if ({partners.active})", f"    {lines[0]}"]
        return [f"if ({partners.active}) {{", *(f"    {line}" for line in lines), "}"]

    return Parts(
        function=messages.named,
        sends=partners.count,
        receives=partners.count,
        prepare=[*partners.prepare, *messages.requests, *taking_part(messages.make)],
        call=taking_part(messages.call),
        ready=taking_part(messages.ready),
        release=[*taking_part(messages.free), *(f"free({name});" for name in allocated)],
    )


#: Calls of the packed memory.
PACKING: Mapping[str, str] = {
    "pack": "MPI_Pack(send, count, type, packed, bytes, &position, comm);",
    "unpack": "MPI_Unpack(packed, bytes, &position, recv, count, type, comm);",
}


def _packing(name: str) -> Parts:
    fill = [] if name == "pack" else [PACKING["pack"]]
    return Parts(
        function=PACKING[name].partition("(")[0],
        sends="1",
        receives="1",
        prepare=[
            "int bytes, position = 0;",
            "MPI_Pack_size(count, type, comm, &bytes);",
            "void *packed = calloc(bytes + 1, 1);",
            *fill,
        ],
        call=["position = 0;", PACKING[name]],
        ready=[],
        release=["free(packed);"],
    )
