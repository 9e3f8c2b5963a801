# SPDX-License-Identifier: BSD-3-Clause
"""Programs that users run, as further launches of the same blocks: the NAS Parallel Benchmarks (NPB)."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from isochron.schemas.input.replication import Count
from isochron.schemas.section import Key, Section

Kernel = Literal["EP", "IS", "CG", "MG", "FT", "LU", "SP", "BT"]
ProblemClass = Literal["S", "W", "A", "B", "C"]
NodeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

#: The source that is no folder.
SPACK = "spack"

#: Numbers of processes that a kernel takes (README.install of NPB 3.4-MPI), and how that is called.
ANY, POWER_OF_TWO, SQUARE = "any number", "a power of two (1, 2, 4, 8 …)", "a square number (1, 4, 9, 16 …)"
RULES: dict[str, str] = {
    "EP": ANY,
    "IS": POWER_OF_TWO,
    "CG": POWER_OF_TWO,
    "MG": POWER_OF_TWO,
    "FT": POWER_OF_TWO,
    "LU": POWER_OF_TWO,
    "SP": SQUARE,
    "BT": SQUARE,
}


def takes(kernel: str, processes: int) -> bool:
    """Whether a kernel runs on so many processes."""
    rule = RULES[kernel]
    if rule == POWER_OF_TWO:
        return processes & (processes - 1) == 0
    if rule == SQUARE:
        return any(side * side == processes for side in range(1, processes + 1) if side * side <= processes)
    return True


def refusal(kernel: str, processes: int) -> str:
    """Why a kernel does not run on so many processes; empty where it does."""
    return "" if takes(kernel, processes) else f"{kernel} takes {RULES[kernel]} of processes, not {processes}"


class Npb(Section):
    """`programs.npb`: kernels and classes of the NAS Parallel Benchmarks (MPI), built with each stack."""

    source: str = Field(
        min_length=1,
        description="folder of an NPB 3.x MPI source tree (relative to the campaign file), or `spack`: the package npb",
    )
    kernels: list[Kernel] = Field(min_length=1, description="of EP, IS, CG, MG, FT, LU, SP and BT")
    classes: list[ProblemClass] = Field(min_length=1, description="problem sizes, small to large: S, W, A, B, C")
    processes: list[Count] = Field(
        default=[], description="process counts; default: those of the campaign. A kernel takes what its rule allows"
    )
    processes_per_node: list[Count] = Field(default=[], description="default: those of the campaign")
    launches_per_block: Count = Field(1, description="launches of each kernel, class, stack and point in a block")
    launch_seconds: Annotated[Count, Key(measures=False)] = Field(
        600, description="seconds after which a launch is stopped"
    )
    flags: str = Field("-O3", pattern=r"^[A-Za-z0-9 ,.:=+_-]*$", description="flags of the Fortran and C compilers")
    node_map: Annotated[list[list[NodeName]], Key(measures=False)] = Field(
        default=[],
        description="rows of node names, laid out like the network of the machine, for the drawings of placements",
    )
    compare_with: Annotated[list[str], Key(measures=False)] = Field(
        default=[], description="published results to compare with: `ekss-npb`, or paths of reference files"
    )

    @field_validator("kernels", "classes", "processes", "processes_per_node", "compare_with")
    @classmethod
    def _no_doubles(cls, values: list[object]) -> list[object]:
        twice = next((value for value, count in Counter(values).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is listed twice; list it once")
        return values

    @model_validator(mode="after")
    def _node_map_has_each_once(self) -> Npb:
        names = Counter(name for row in self.node_map for name in row)
        twice = next((name for name, count in names.items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"node_map: {twice} is listed twice; list each node once")
        return self


class Programs(Section):
    """What users run."""

    npb: Npb | None = None


def check_npb(npb: Npb, processes: list[int]) -> None:
    """Every kernel has a number of processes that it takes. `processes`: of the campaign. Raises ValueError."""
    asked = npb.processes or processes
    for kernel in npb.kernels:
        if not any(takes(kernel, count) for count in asked):
            given = ", ".join(map(str, asked))
            raise ValueError(
                f"programs.npb.kernels: {kernel} takes {RULES[kernel]} of processes, but the campaign has {given}; "
                f"add one to programs.npb.processes, or remove {kernel}"
            )
