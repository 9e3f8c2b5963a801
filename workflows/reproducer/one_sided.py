# SPDX-License-Identifier: BSD-3-Clause
"""One-sided operations in C: the window, the call and what completes it."""

from __future__ import annotations

from collections.abc import Mapping

from isochron.workflows.reproducer.parts import Parts

#: One-sided operations: the arguments of the call before the window, and how people name it.
ONE_SIDED: Mapping[str, tuple[str, str]] = {
    "put": ("send{step}, count, type, {target}, count, type", "from one process into a window of another"),
    "get": ("recv{step}, count, type, {target}, count, type", "by one process from a window of another"),
    "accumulate": ("send, count, type, {target}, count, type, {reduction}", "in a window of another process"),
    "get_accumulate": (
        "send, count, type, recv, count, type, {target}, count, type, {reduction}",
        "in a window of another process",
    ),
    "fetch_and_op": ("&own, &former, MPI_INT, {target}, {reduction}", "in a window of another process"),
    "compare_and_swap": ("&own, &compared, &former, MPI_INT, {target}", "in a window of another process"),
}
#: Of the operations of one element: what their calls name.
ELEMENT = ["const size_t block = sizeof(int);", "int own = 1, former = 0;"]
#: Windows: how they are made over `memory`.
WINDOWS: Mapping[str, list[str]] = {
    "allocate": ["MPI_Win_allocate({bytes}, 1, MPI_INFO_NULL, pair, &memory, &win);"],
    "shared": ["MPI_Win_allocate_shared({bytes}, 1, MPI_INFO_NULL, pair, &memory, &win);"],
    "create": ["memory = buffer({bytes});", "MPI_Win_create(memory, {bytes}, 1, MPI_INFO_NULL, pair, &win);"],
    "dynamic": [
        "memory = buffer({bytes});",
        "MPI_Win_create_dynamic(MPI_INFO_NULL, pair, &win);",
        "MPI_Win_attach(win, memory, {bytes});",
        "MPI_Get_address(memory, &place);",
        "MPI_Sendrecv_replace(&place, 1, MPI_AINT, 1 - rank, 0, 1 - rank, 0, pair, MPI_STATUS_IGNORE);",
    ],
}
#: Synchronisations: of both before all calls, of the origin around its call, of the target, and of both after all.
HELD = "MPI_Win_lock_all(0, win);", "MPI_Win_unlock_all(win);"
FENCE = "MPI_Win_fence(0, win);"
SYNCHRONISATIONS: Mapping[str, tuple[list[str], list[str], list[str], list[str], list[str]]] = {
    "flush": ([HELD[0]], [], ["MPI_Win_flush({other}, win);"], [], [HELD[1]]),
    "flush-local": ([HELD[0]], [], ["MPI_Win_flush_local({other}, win);"], [], [HELD[1]]),
    "lock": ([], ["MPI_Win_lock(MPI_LOCK_SHARED, {other}, 0, win);"], ["MPI_Win_unlock({other}, win);"], [], []),
    "lock-all": ([], [HELD[0]], [HELD[1]], [], []),
    "fence": ([FENCE], [], [FENCE], [FENCE], []),
    "pscw": (
        [],
        ["MPI_Win_start(partner, 0, win);"],
        ["MPI_Win_complete(win);"],
        ["MPI_Win_post(partner, 0, win);", "MPI_Win_wait(win);"],
        [],
    ),
}
GROUP = [
    "MPI_Comm_group(pair, &both);",
    "MPI_Group_incl(both, 1, (const int[]){1 - rank}, &partner);",
    "MPI_Group_free(&both);",
]


def one_sided_parts(name: str, window: str, synchronisation: str, reduction: str, burst: int) -> Parts:
    """Return the parts of a one-sided operation, between the first two processes; of a burst that of its transfers."""
    base, _, rest = name.partition("-")
    arguments, where = ONE_SIDED[base]
    function = f"MPI_{base.capitalize()}"
    both_ways, step = rest.endswith("both-ways"), " + i * block" if rest else ""
    words = {"other": "1 - rank" if both_ways else "1", "bytes": f"{burst} * block" if rest else "block"}
    first, before, after, target, last = (
        [line.format(**words) for line in lines] for lines in SYNCHRONISATIONS[synchronisation]
    )
    groups = synchronisation == "pscw"
    made = [*(line.format(**words) for line in WINDOWS[window]), *(GROUP if groups else []), *first]
    freed = [*last, *(["MPI_Group_free(&partner);"] if groups else [])]
    freed += ["MPI_Barrier(pair);", "MPI_Win_detach(win, memory);"] if window == "dynamic" else []
    freed += ["MPI_Win_free(&win);", *(["free(memory);"] if window in ("create", "dynamic") else [])]
    place = f"{words['other']}, place{step}"
    transfer = [f"{function}({arguments.format(target=place, step=step, reduction=reduction)}, win);"]
    if rest:
        transfer = [f"for (int i = 0; i < {burst}; i++)", f"    {transfer[0]}"]
        where = f"{burst} times at once, {where}" + (", both ways at the same time" if both_ways else "")
    if both_ways and groups:
        before, after = [target[0], *before], [*after, target[1]]
    at_target = ["} else if (rank == 1) {", *(f"    {line}" for line in target)] if target and not both_ways else []
    return Parts(
        function=f"{function} {where}, window: {window}, synchronisation: {synchronisation}",
        sends=f"{burst}" if rest else "1",
        receives=f"{burst}" if rest else "1",
        prepare=[
            *(ELEMENT if "MPI_INT" in arguments else []),
            *(["const int compared = 0;"] if "compared" in arguments else []),
            "MPI_Comm pair;",
            "MPI_Comm_split(comm, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);",
            "MPI_Win win;",
            "char *memory = NULL;",
            "MPI_Aint place = 0;",
            *(["MPI_Group both, partner;"] if groups else []),
            "if (rank < 2) {",
            *(f"    {line}" for line in made),
            "}",
        ],
        call=[
            f"if (rank {'< 2' if both_ways else '== 0'}) {{",
            *(f"    {line}" for line in [*before, *transfer, *after]),
            *at_target,
            "}",
        ],
        ready=[],
        release=["if (rank < 2) {", *(f"    {line}" for line in [*freed, "MPI_Comm_free(&pair);"]), "}"],
    )
