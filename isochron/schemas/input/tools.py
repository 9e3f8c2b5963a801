# SPDX-License-Identifier: BSD-3-Clause
"""Third-party benchmarks as launches of a campaign, and the engine options that imitate them.

Their behaviour is taken from their sources: IMB 2021.11 (src_c/IMB_bcast.c: MPI_Wtime, the call, MPI_Wtime, then a
barrier that is not timed, `-sync`; IMB_barrier.c, IMB_pingpong.c: one loop), OSU 5.3 and 7.4 (osu_bcast.c likewise;
osu_latency.c and osu_barrier.c: a loop).
"""

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from isochron.schemas.base import Section
from isochron.schemas.engine.contract import MESSAGES, WITHOUT_DATA, cases
from isochron.schemas.engine.options import EngineOptions

ToolName = Literal["imb", "osu"]

_BOTH = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "gather", "gatherv"),
    *("reduce", "scatter", "scatterv"),
)
_WORDS = {"ping-pong": "PingPong", "ping-ping": "PingPing", "sendrecv": "Sendrecv", "exchange": "Exchange"}
#: Benchmarks of IMB-MPI1 and programs of OSU that measure the same as an operation of the engine.
BENCHMARKS: dict[ToolName, dict[str, str]] = {
    "imb": {**{name: name.capitalize() for name in _BOTH}, **_WORDS},
    "osu": {**{name: f"osu_{name}" for name in _BOTH}, "ping-pong": "osu_latency"},
}
#: Names for people.
TITLES: dict[ToolName, str] = {"imb": "IMB", "osu": "OSU"}

Options = dict[str, bool | int | float | str]
#: The tools' timer, and many operations under one schedule, because the engine's work between batches cools the caches.
_COMMON: Options = {"timer": "mpi-wtime", "batch": 1000}
#: How the tools start the repetitions of an operation, as named by isochron.tools, with equivalent options of the
#: engine.
_STARTS: dict[str, Options] = {
    "barrier": {"scheme": "mpi-barrier", **_COMMON, "min_valid": 200, "max_valid": 1000, "max_reps": 1000},
    "loop": {"scheme": "loop", **_COMMON, "min_valid": 10, "max_valid": 100, "max_reps": 100},
}
#: Further options of a tool: OSU aligns its buffers to pages (osu_util_mpi.c), which matters to libraries that copy
#: directly between processes.
_FURTHER: dict[ToolName, Options] = {"imb": {}, "osu": {"alignment": 4096}}
#: Contrasts that imitate a tool: name → the tool, how it starts repetitions, and equivalent options of the engine.
IMITATIONS: dict[str, tuple[ToolName, str, Options]] = {
    f"{tool}-{start}": (tool, start, {**options, **further})
    for tool, further in _FURTHER.items()
    for start, options in _STARTS.items()
}
#: Options that no imitation can have, with their replacements.
_PLAIN = {"overlap": False, "per_rank": False, "arrival": "none", "buffers": "warm", "memory": False}


class Tool(Section):
    """A third-party benchmark: IMB-MPI1 of the Intel MPI Benchmarks, or the OSU micro-benchmarks."""

    name: ToolName = Field(description="`imb` or `osu`")
    path: str | None = Field(
        None,
        description="file or folder of its programs, built with the stack; `{stack}` is replaced by the stack's name; "
        "default: that of the Intel MPI wheel (`imb`), or built by Spack with the stack",
    )
    stacks: list[str] = Field(default=[], description="stacks with which it is launched; default: all that have it")


def _mappings(value: Any) -> Any:
    """Replace a bare name by a tool without settings."""
    return [{"name": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


#: `tools: [imb, {name: osu, path: /opt/osu/{stack}}]`
Tools = Annotated[list[Tool], BeforeValidator(_mappings, json_schema_input_type=list[ToolName | Tool])]


def way(operation: str) -> str:
    """Return how the tools start the repetitions of an operation: `loop` or `barrier`."""
    return "loop" if operation in (*MESSAGES, *WITHOUT_DATA) else "barrier"


def measured_by(tool: ToolName, operations: list[str], processes: int) -> list[str]:
    """Return the operations that a tool measures like the engine; messages only between two processes."""
    benchmarks = BENCHMARKS[tool]
    return [name for name in operations if name in benchmarks and (processes == 2 or name not in MESSAGES)]


def printed(tool: ToolName, operations: list[str], sizes: list[int]) -> list[tuple[str, int]]:
    """Return the cases that a launch of a tool must print: OSU doubles its sizes, from the smallest on."""
    expected = cases(operations, sizes)
    if tool == "imb":
        return expected
    doubled = osu_sizes(sizes)
    return [(operation, size) for operation, size in expected if operation in WITHOUT_DATA or size in doubled]


def osu_sizes(sizes: list[int]) -> list[int]:
    """Return the sizes that OSU measures, from the smallest one with data to the largest."""
    data = sorted(size for size in sizes if size)
    sizes_of_osu = data[:1]
    while sizes_of_osu and sizes_of_osu[-1] * 2 <= data[-1]:
        sizes_of_osu.append(sizes_of_osu[-1] * 2)
    return sizes_of_osu


def imitations(tools: list[Tool], operations: list[str], engine: EngineOptions) -> dict[str, dict[str, Any]]:
    """Return the contrasts that imitate the tools: name → options of `engine` that differ."""
    plain = {name: value for name, value in _PLAIN.items() if getattr(engine, name) != value}
    names = (name for name in IMITATIONS if is_imitation(name, tools) and imitated(name, operations))
    return {name: {**IMITATIONS[name][2], **plain} for name in names}


def is_imitation(contrast: str, tools: list[Tool]) -> bool:
    """Return True if a contrast belongs to the campaign's tools."""
    return contrast in IMITATIONS and IMITATIONS[contrast][0] in {tool.name for tool in tools}


def imitated(contrast: str, operations: list[str]) -> list[str]:
    """Return the operations that an imitation measures."""
    tool, start, _ = IMITATIONS[contrast]
    return [name for name in operations if way(name) == start and name in BENCHMARKS[tool]]


def check_tools(
    tools: list[Tool], stacks: list[str], operations: list[str], sizes: list[int], contrasts: list[str]
) -> None:
    """Raise ValueError if a campaign cannot have its tools."""
    twice = next((name for name, count in Counter(tool.name for tool in tools).items() if count > 1), None)
    if twice:
        raise ValueError(f"tools: {twice} is listed twice; list it once")
    for number, tool in enumerate(tools):
        unknown = next((stack for stack in tool.stacks if stack not in stacks), None)
        if unknown is not None:
            raise ValueError(
                f"tools[{number}].stacks: '{unknown}' is not among the stacks; choose from {', '.join(stacks)}"
            )
        if not printed(tool.name, [name for name in operations if name in BENCHMARKS[tool.name]], sizes):
            raise ValueError(
                f"tools: {tool.name} has no benchmark for this campaign's operations and sizes; it offers "
                f"{', '.join(BENCHMARKS[tool.name])}, with data from 1 byte: add one of them, or remove the tool"
            )
    taken = next((name for name in contrasts if is_imitation(name, tools)), None)
    if taken:
        raise ValueError(f"contrasts.{taken}: `tools` defines a contrast of this name; choose another one")
