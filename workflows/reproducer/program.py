# SPDX-License-Identifier: BSD-3-Clause
"""The program of a finding: plain MPI in C, which times one operation and prints one line.

On one node all processes start it at a time that they agree on, by the clock that they share. After a barrier one of
them is earlier, and its wait for the others can hide the difference of two libraries; on several nodes, whose clocks
differ, it is a barrier all the same.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from isochron.common.files import FileError
from isochron.schemas.engine.contract import Operation
from isochron.schemas.engine.contract import operation as described
from isochron.schemas.engine.options import EngineOptions
from isochron.workflows.reproducer.operations import parts_of
from isochron.workflows.reproducer.parts import Parts

#: The longest line, and the longest program.
WIDTH, MOST_LINES = 100, 150
BATCHES = 21
#: Schemes of the engine in which repetitions start at a time.
TIMED = ("window", "round-time")
#: Microseconds from the agreement on a time until then: enough for a broadcast.
AHEAD_US = 50
#: Microseconds that a batch may take; its repetitions, at least and at most.
BATCH_US, FEWEST, MOST = 20_000, 20, 1000

TYPES = {
    "byte": ("MPI_BYTE", 1),
    "int": ("MPI_INT", 4),
    "float": ("MPI_FLOAT", 4),
    "double": ("MPI_DOUBLE", 8),
    "signed char": ("MPI_SIGNED_CHAR", 1),
}


def in_words(name: str, size: int, engine: EngineOptions) -> str:
    """Return what a program of an operation times: call, bytes, datatype. Raises FileError if it has no program."""
    parts, operation, engine = parts_of(name, engine), described(name), _with_named_datatype(name, engine)
    chosen = [engine.datatype] if operation.data and engine.datatype != "auto" else []
    chosen += [f"MPI_{engine.reduce_op.upper()}"] if operation.reduces and engine.reduce_op != "sum" else []
    return ", ".join([parts.function, *([f"{size} bytes"] if operation.data else []), *chosen])


def make_program(
    name: str, size: int, processes: int, engine: EngineOptions, expected_us: float, claim: str, *, one_node: bool
) -> str:
    """Return the program that times an operation as the engine's options of a run did, as far as plain MPI can.

    `size`: bytes; `expected_us`: time of a call in microseconds; `claim`: the sentence that it shows; `one_node`: all
    processes are on one node. Raises FileError.
    """
    what, engine = in_words(name, size, engine), _with_named_datatype(name, engine)
    operation, parts = described(name), parts_of(name, engine)
    refuse_options(operation, engine)
    calls = engine.batch if engine.scheme == "loop" else engine.operations_per_rep
    start = AGREED if one_node and engine.scheme in TIMED else BARRIER
    main = _main(operation, parts, engine, size, _repetition(parts, calls, start))
    lines = [
        *_comment(claim, what, processes, operation, start.text),
        *(["#include <omp.h>"] if operation.threads else []),
        *HEAD,
        *start.include,
        "",
        f"enum {{ PROCESSES = {processes}, BATCHES = {BATCHES}, REPETITIONS = {_repetitions(expected_us * calls)}"
        + (f", CALLS = {calls}" if calls > 1 else "")
        + " };",
        *_text("what", what),
        "",
        *HELPERS,
        *start.helpers,
        *([*BUFFER, ""] if any("= buffer(" in line for line in main) else []),
        *main,
    ]
    return "\n".join(folded for line in lines for folded in _folded(line)) + "\n"


def _with_named_datatype(name: str, engine: EngineOptions) -> EngineOptions:
    """Return the options with the datatype of the operation's name, if it has one."""
    named = described(name).named_datatype
    return engine if named is None else engine.model_copy(update={"datatype": named.datatype})


#: Options that change what is measured, and that a plain program does not have: the value without, and whether it
#: matters to an operation.
UNCHANGED: dict[str, tuple[Any, Callable[[Operation], bool]]] = {
    "in_place": (False, lambda one: one.in_place),
    "large_counts": (False, lambda one: one.large_counts),
    "counts": ("balanced", lambda one: one.varied),
    "topology": ("cart", lambda one: "neighbor" in one.name),
    "group_size": (0, lambda one: one.group in ("point-to-point", "transfers", "topologies", "bursts")),
    "groups": ("all", lambda _: True),
    "buffered_sends": (False, lambda one: one.plain_sends),
    "overlap": (False, lambda _: True),
    "buffers": ("warm", lambda one: one.data),
    "arrival": ("none", lambda _: True),
    "rank_order": ("identity", lambda _: True),
}


def refuse_options(operation: Operation, engine: EngineOptions) -> None:
    """Raise FileError if an option of the run changes what is measured in a way that no plain program has."""
    reason = ""
    for name, (plain, matters) in UNCHANGED.items():
        if getattr(engine, name) != plain and matters(operation):
            reason = f"the run has engine.{name}: {str(getattr(engine, name)).lower()}"
    if engine.scheme == "rotating-root":
        reason = f"the run has engine.scheme: {engine.scheme}"
    if reason:
        raise FileError(f"{operation.name}: cannot be written as a plain program: {reason}")


def _repetitions(each_us: float) -> int:
    """Return how often a batch measures: 1, 2 or 5 times a power of ten."""
    wanted = min(MOST, max(FEWEST, BATCH_US / max(each_us, 0.1)))
    return max(one for one in (20, 50, 100, 200, 500, 1000) if one <= wanted)


def _comment(claim: str, what: str, processes: int, operation: Operation, start: str) -> list[str]:
    """Return the comment at the top: what it shows, and what is measured. `start`: how repetitions begin."""
    texts = [claim, f"Times {what}, on {processes} processes."]
    if operation.data:
        texts[1] += f" The bytes are {operation.bytes_means}."
    texts.append(
        f"{start}; a repetition is as long as in its slowest process. Printed: the median of a batch of repetitions, "
        "as median and range over all batches."
    )
    lines = [line for text in texts for line in [*textwrap.wrap(text, WIDTH - 4), ""]][:-1]
    return ["/*", *(f" * {line}".rstrip() for line in lines), " */"]


def _folded(line: str) -> list[str]:
    """Return a line as several that are not too long: an argument of a call begins each."""
    if len(line) <= WIDTH:
        return [line]
    end = line.rindex(", ", 0, WIDTH) + 1
    opening = line.index("(") + 1
    return [line[:end], *_folded(" " * opening + line[end + 1 :])]


def _text(name: str, text: str) -> list[str]:
    """Return the definition of a text in C, in lines that are not too long."""
    pieces = textwrap.wrap(text, WIDTH - 10, drop_whitespace=False, break_long_words=False)
    if len(pieces) == 1 and len(text) < WIDTH - 30:
        return [f'static const char {name}[] = "{text}";']
    quoted = [f'    "{piece}"' for piece in pieces]
    return [f"static const char {name}[] =", *quoted[:-1], f"{quoted[-1]};"]


HEAD = ["#include <mpi.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"]

HELPERS = r"""
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, int n)
{
    qsort(values, n, sizeof *values, ascending);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

"""[1:-1].splitlines()


@dataclass(frozen=True)
class Start:
    """How repetitions begin: in a `text`, and the lines before the clock; `now`: the clock, in seconds, as C."""

    text: str
    lines: list[str]
    now: str
    include: list[str] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)


BARRIER = Start(
    "Before each repetition the processes meet in a barrier",
    ["MPI_Barrier(MPI_COMM_WORLD);", "const double start = MPI_Wtime();"],
    "MPI_Wtime()",
)
NOW = r"""

/* Seconds of the clock of the node. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
"""[1:-1].splitlines()
AGREED = Start(
    f"The processes start each repetition at a time that was agreed on {AHEAD_US} us before, by the clock of the node",
    [
        f"double start = now() + {AHEAD_US}e-6;",
        "MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);",
        "while (now() < start)",
        "    ;",
    ],
    "now()",
    ["#include <time.h>"],
    NOW,
)

BUFFER = r"""
static char *buffer(size_t bytes)
{
    const size_t whole = (bytes / 64 + 1) * 64;
    char *memory = aligned_alloc(64, whole);
    if (memory == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memset(memory, 0, whole);
}
"""[1:-1].splitlines()

BEGIN = r"""
int main(void)
{
    int rank, size, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    if (size != PROCESSES) {
        fprintf(stderr, "started as %d processes, not %d\n", size, PROCESSES);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm comm = MPI_COMM_WORLD;

"""[1:-1].splitlines()

END = r"""
    if (rank == 0) {
        const double middle = median(medians, BATCHES);
        printf("%s: %s, %d processes: median %.3f us, %.3f to %.3f us in %d batches of %d\n", library, what,
               size, middle, medians[0], medians[BATCHES - 1], BATCHES, REPETITIONS);
    }
"""[1:-1].splitlines()


def _with_threads(begin: list[str]) -> list[str]:
    """Return the begin of `main` with the level of threads that a launch with threads has."""
    init = ["    int provided;", "    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);"]
    return [line for old in begin for line in (init if "MPI_Init(" in old else [old])]


def _main(operation: Operation, parts: Parts, engine: EngineOptions, size: int, repetition: list[str]) -> list[str]:
    """Return the lines of `main`. `repetition`: those that time one."""
    made = [*_data(operation, parts, engine, size), *parts.prepare]
    release = [*parts.release]
    if operation.data:
        release += [f"free({side});" for side in _sides(parts)]
        release += ["MPI_Type_free(&type);"] * (":" in engine.datatype)
    return [
        *(_with_threads(BEGIN) if engine.threads else BEGIN),
        *_indented(made, 1),
        *([""] if made else []),
        "    static double times[REPETITIONS], longest[REPETITIONS], medians[BATCHES];",
        "    for (int batch = -1; batch < BATCHES; batch++) { /* batch -1 warms up */",
        "        for (int i = 0; i < REPETITIONS; i++) {",
        *_indented(repetition, 3),
        "        }",
        "        MPI_Reduce(times, longest, REPETITIONS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);",
        "        if (rank == 0 && batch >= 0)",
        "            medians[batch] = median(longest, REPETITIONS);",
        "    }",
        *END,
        *_indented(release, 1),
        "    MPI_Finalize();",
        "    return 0;",
        "}",
    ]


def _repetition(parts: Parts, calls: int, start: Start) -> list[str]:
    """Return the lines that take the time of one repetition."""
    ready, call, per_call = parts.ready, parts.call, ""
    if calls > 1:
        call = ["for (int n = 0; n < CALLS; n++) {", *_indented([*ready, *call], 1), "}"]
        ready, per_call = [], " / CALLS"
    return [*ready, *start.lines, *call, f"times[i] = 1e6 * ({start.now} - start){per_call};"]


def _sides(parts: Parts) -> list[str]:
    """Return the names of the buffers that the call uses."""
    used = "\n".join([*parts.prepare, *parts.ready, *parts.call])
    return [name for name in ("send", "recv") if f"{name}," in used or f"{name} +" in used]


def _data(operation: Operation, parts: Parts, engine: EngineOptions, size: int) -> list[str]:
    """Return the lines that make datatype, count and buffers."""
    if not operation.data:
        return []
    lines, width, extent = _type(operation, engine.datatype, size)
    used = _sides(parts)
    blocks = {"send": parts.sends, "recv": parts.receives}
    body = [*parts.prepare, *parts.call, *parts.ready]
    if len(lines) == 1 and not any("type" in line for line in body):
        lines = []
    lines += [f"const int count = {size // width};"]
    needs_block = any("block" in line for line in body)
    lines += [f"const size_t block = (size_t)count * {extent};" if needs_block or extent > 1 else ""]
    unit = "block" if lines[-1] else "(size_t)count"
    lines = [line for line in lines if line]
    for name in used:
        times = "" if blocks[name] == "1" else f"{blocks[name]} * "
        lines.append(f"char *{name} = buffer({times}{unit});")
    return lines


def _type(operation: Operation, chosen: str, size: int) -> tuple[list[str], int, int]:
    """Return the lines that make `type`, and its size and extent in bytes."""
    word, _, rest = chosen.partition(":")
    if word == "vector":
        pieces, length, stride = map(int, rest.split(":"))
        made = f"MPI_Type_vector({pieces}, {length}, {stride}, MPI_BYTE, &blocks);"
        return _derived([made], pieces * stride), pieces * length, pieces * stride
    if word == "indexed":
        pairs = [tuple(map(int, piece.split("@"))) for piece in rest.split(",")]
        lengths, places = (", ".join(map(str, numbers)) for numbers in zip(*pairs, strict=True))
        arrays = f"const int lengths[] = {{{lengths}}}, starts[] = {{{places}}};"
        made = f"MPI_Type_indexed({len(pairs)}, lengths, starts, MPI_BYTE, &blocks);"
        extent = sum(pairs[-1])
        return _derived([arrays, made], extent), sum(length for length, _ in pairs), extent
    if word == "auto":
        word = "byte" if not operation.reduces else "float" if size % 4 == 0 else "signed char"
    name, width = TYPES[word]
    return [f"const MPI_Datatype type = {name};"], width, width


def _derived(made: list[str], extent: int) -> list[str]:
    return [
        "MPI_Datatype blocks, type;",
        *made,
        f"MPI_Type_create_resized(blocks, 0, {extent}, &type);",
        "MPI_Type_free(&blocks);",
        "MPI_Type_commit(&type);",
    ]


def _indented(lines: list[str], steps: int) -> list[str]:
    return [f"{'    ' * steps}{line}" for line in lines]
