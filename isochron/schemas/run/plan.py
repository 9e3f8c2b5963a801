# SPDX-License-Identifier: BSD-3-Clause
"""The plan: every launch of a campaign, in blocks, before anything runs."""

from typing import Literal

from pydantic import Field

from isochron.schemas.base import FileName, Record
from isochron.schemas.engine.contract import cases
from isochron.schemas.run.layout import raw_file


class Point(Record):
    """A configuration of processes that needs separate launches."""

    processes: int
    processes_per_node: int
    placement: FileName

    @property
    def nodes(self) -> int:
        """Nodes that the point occupies (the last one may be partly filled)."""
        return -(-self.processes // self.processes_per_node)

    @property
    def label(self) -> str:
        """Short name for file names and tables."""
        return f"p{self.processes}.n{self.processes_per_node}.{self.placement}"


class ProgramRun(Record):
    """A program that a launch runs instead of the engine: a kernel of NPB at a class."""

    name: Literal["npb"]
    kernel: FileName
    problem: FileName

    @property
    def label(self) -> str:
        """Short name for tables and people."""
        return f"{self.name}.{self.kernel}.{self.problem}"


def launch_name(
    stack: str, point: Point, block: int, launch: int, tool: str = "", program: ProgramRun | None = None
) -> str:
    """Return the name of a launch, unique within a run. It ends with the tool or program if that is not the engine."""
    kernel = f".{program.kernel}.{program.problem}" if program is not None else ""
    end = tool or (program.name if program is not None else "")
    return f"{stack}.{point.label}{kernel}.b{block:03d}.l{launch}{end and f'.{end}'}"


class PlannedLaunch(Record):
    """One `mpiexec` of the engine, or of a third-party program. `name` is unique within a run and names its raw file.

    `hosts`: the nodes that it must use, in their order (`@0`: the first of the allocation); empty: any.
    `session`: the launches of a block with the same session measure in turns; empty: it is alone. `solo`: whether it
    measures alone, too, when the others of its session have ended.
    `operations` and `sizes`: what it measures; empty: all of the campaign. `contrast`, `clock_sync`: one of the
    campaign's contrasts or `compare_clock_syncs`; empty: it measures results. `first_call`: whether it is one of the
    campaign's `first_calls`. `tool`: one of the campaign's tools. `program`: one of the campaign's programs.
    """

    name: FileName
    stack: FileName
    point: Point
    block: int
    launch: int
    seconds: float
    hosts: list[str] = Field(default_factory=list)
    operations: list[str] = Field(default=[])
    sizes: list[int] = Field(default=[])
    contrast: str = ""
    clock_sync: str = ""
    first_call: bool = False
    tool: str = ""
    program: ProgramRun | None = None
    session: str = ""
    solo: bool = False

    @property
    def file(self) -> str:
        """Its raw file, as the store names it."""
        return raw_file(self.name)

    @property
    def of_results(self) -> bool:
        """True if its times are part of the results."""
        return not (self.contrast or self.clock_sync or self.first_call or self.tool or self.program)

    @property
    def whole(self) -> bool:
        """True if it measures all operations and sizes of its campaign."""
        return not (self.operations or self.sizes)

    def cases(self, operations: list[str], sizes: list[int]) -> list[tuple[str, int]]:
        """Return the cases that the launch must measure; `operations`, `sizes`: those of the campaign."""
        return [] if self.program else cases(self.operations or operations, self.sizes or sizes)


class Block(Record):
    """One allocation of `nodes` nodes, with its launches in the random order in which they run.

    `hosts`: nodes that the allocation must contain, if the scheduler can be asked for nodes.
    `round`: round of remeasurement; 0: the first measurement.
    `stage`: number of interim analyses of a sequential campaign before the block.
    """

    name: FileName
    index: int
    nodes: int
    launches: list[PlannedLaunch]
    hosts: list[str] = Field(default_factory=list)
    round: int = 0
    stage: int = 0

    @property
    def seconds(self) -> float:
        """Estimated time of the allocation."""
        return sum(launch.seconds for launch in self.launches)

    @property
    def node_hours(self) -> float:
        """Estimated cost of the allocation."""
        return self.nodes * self.seconds / 3600


class Skipped(Record):
    """A stack at a point that is not in the plan, and the reason; with `operation`, only that case.

    With `clock_sync`, only the launch for that synchroniser; with `tool`, only that benchmark; with `program`, only
    that program.
    """

    stack: str
    point: Point
    reason: str
    operation: str = ""
    bytes: int | None = None
    clock_sync: str = ""
    tool: str = ""
    program: str = ""

    @property
    def label(self) -> str:
        """What is skipped at the point: everything, one operation at one size, or a named launch."""
        if self.program:
            return self.program
        if self.tool:
            return f"tools: {self.tool}"
        if self.clock_sync:
            return f"compare_clock_syncs: {self.clock_sync}"
        return f"{self.operation} {self.bytes} B" if self.operation else "all"


class Plan(Record):
    """All launches of a campaign. `digest` covers everything that affects the measurement, and nothing else.

    `later`: the later blocks of a sequential campaign in the worst case; interim analyses may reduce them.
    `locks`: of each stack by spec from wheels, the lock that the package index gave when the run began.
    """

    schema_version: Literal[1] = 1
    campaign: str
    digest: str
    cores_per_node: int
    points: list[Point]
    blocks: list[Block]
    skipped: list[Skipped]
    later: list[Block] = Field(default=[])
    locks: dict[str, str] = Field(default={})

    @property
    def worst_case(self) -> "Plan":
        """The plan of a sequential campaign in which nothing is decided before the end."""
        return self.model_copy(update={"blocks": [*self.blocks, *self.later], "later": []})

    @property
    def stage(self) -> int:
        """Number of interim analyses of a sequential campaign before its last block."""
        return max(block.stage for block in self.blocks)

    @property
    def launches(self) -> list[PlannedLaunch]:
        """Every launch, block by block."""
        return [launch for block in self.blocks for launch in block.launches]

    @property
    def engine_launches(self) -> list[PlannedLaunch]:
        """The launches of the engine, for all tables of the store except `tool_…` and `programs`."""
        return [launch for launch in self.launches if not launch.tool and launch.program is None]

    @property
    def files_of_results(self) -> list[str]:
        """Raw files of the results, without contrasts, compared synchronisers and first calls."""
        return [launch.file for launch in self.launches if launch.of_results]

    def files_of_contrast(self, name: str) -> list[str]:
        """Return the raw files of a contrast."""
        return [launch.file for launch in self.launches if launch.contrast == name]

    @property
    def seconds(self) -> float:
        """Estimated time of all blocks, one after another."""
        return sum(block.seconds for block in self.blocks)

    @property
    def node_hours(self) -> float:
        """Estimated cost of all blocks."""
        return sum(block.node_hours for block in self.blocks)
