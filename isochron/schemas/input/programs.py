# SPDX-License-Identifier: BSD-3-Clause
"""Programs that users run, as launches of a campaign (NPB), and reference files with published results."""

import csv
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from isochron.common.files import FileError, csv_lines, read_text, suggest
from isochron.common.resources import shipped
from isochron.schemas.base import Key, Section, no_doubles
from isochron.schemas.input.replication import Count


class ProgramColumns(Section):
    """Names of the columns of the CSV."""

    kernel: str
    npb_class: str
    processes: str
    processes_per_node: str
    map: str | None = Field(
        None, description="column of the map of nodes: lines on different maps are no launches of one case"
    )
    nodes: str | None = Field(None, description="column of the nodes that were used, as the source draws them")
    seconds: str = Field(description="column of the time in s; an empty cell: not printed")
    mops_total: str = Field(description="column of the 10⁶ operations a second of all processes")


class ProgramReference(Section):
    """A reference file of NPB: one machine. Lines of the CSV with the same case and map are launches of it."""

    schema_version: Literal[1] = Field(1, alias="schema")
    title: str
    source: str = Field(min_length=1, description="who measured and published it, where and when")
    data: str = Field(description="the CSV file, relative to this one; lines that begin with # are comments")
    columns: ProgramColumns
    words: dict[str, int] = Field(default={}, description="words in the CSV that represent numbers")


def program_reference_path(word: str) -> Path:
    """Return the path of a reference file, given its path or the name of a shipped one. Raises FileError."""
    if "/" in word or word.endswith((".yaml", ".yml")):
        return Path(word)
    names = sorted(path.stem for path in shipped("postprocess", "published", "programs").glob("*.yaml"))
    if word not in names:
        raise FileError(
            f"unknown reference '{word}'{suggest(word, names)}; shipped references: {', '.join(names)}; "
            "or give the path of a reference file"
        )
    return shipped("postprocess", "published", "programs", f"{word}.yaml")


def load_program_reference(path: Path) -> tuple[ProgramReference, list[dict[str, str]]]:
    """Read a reference file and the rows of its CSV. Raises FileError."""
    reference = ProgramReference.load_yaml(path, "give the path of a reference file of NPB, which is a YAML file")
    data = path.parent / reference.data
    text = read_text(data, f"name the CSV file in `data` of {path}")
    rows = csv.DictReader(csv_lines(text))
    for name in reference.columns.model_dump(exclude_none=True).values():
        if name not in (rows.fieldnames or []):
            raise FileError(f"{data}: has no column '{name}', which {path} names")
    return reference, list(rows)


Kernel = Literal["EP", "IS", "CG", "MG", "FT", "LU", "SP", "BT"]
ProblemClass = Literal["S", "W", "A", "B", "C"]
NodeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

#: The value of `source` that is not a folder.
SPACK = "spack"

#: Numbers of processes that a kernel accepts (README.install of NPB 3.4-MPI), as text.
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


def accepts(kernel: str, processes: int) -> bool:
    """Return True if a kernel runs on N processes."""
    rule = RULES[kernel]
    if rule == POWER_OF_TWO:
        return processes & (processes - 1) == 0
    if rule == SQUARE:
        return any(side * side == processes for side in range(1, processes + 1) if side * side <= processes)
    return True


def refusal(kernel: str, processes: int) -> str:
    """Return why a kernel does not run on N processes; empty if it does."""
    return "" if accepts(kernel, processes) else f"{kernel} takes {RULES[kernel]} of processes, not {processes}"


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

    _no_doubles = field_validator("kernels", "classes", "processes", "processes_per_node", "compare_with")(no_doubles)

    @model_validator(mode="after")
    def _node_map_has_each_once(self) -> "Npb":
        names = Counter(name for row in self.node_map for name in row)
        twice = next((name for name, count in names.items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"node_map: {twice} is listed twice; list each node once")
        return self


class Programs(Section):
    """Application programs."""

    npb: Npb | None = None


def check_npb(npb: Npb, processes: list[int]) -> None:
    """Raise ValueError if a kernel accepts none of the process counts. `processes`: those of the campaign."""
    counts = npb.processes or processes
    for kernel in npb.kernels:
        if not any(accepts(kernel, count) for count in counts):
            listed = ", ".join(map(str, counts))
            raise ValueError(
                f"programs.npb.kernels: {kernel} takes {RULES[kernel]} of processes, but the campaign has {listed}; "
                f"add one to programs.npb.processes, or remove {kernel}"
            )
