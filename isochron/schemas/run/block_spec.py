# SPDX-License-Identifier: BSD-3-Clause
"""`attempts/<block>/<n>/spec.json`: input of the ReFrame check `Block`."""

from pathlib import Path

from pydantic import Field

from isochron.schemas.base import Record
from isochron.schemas.run.manifest import Environment, TransportReport
from isochron.schemas.run.plan import ProgramRun


class StackSpec(Record):
    """Properties of a stack that a launch needs."""

    environment: Environment
    engine: str
    engine_sha256: str
    mpi_version: str
    #: First line of MPI_Get_library_version when the engine was built; empty: only `mpi_version` is compared.
    mpi_library_version: str = ""
    #: MPI libraries that the engine was built with, and their hashes.
    libraries: dict[str, str] = Field(default_factory=dict)
    #: Words before a command that runs in the image of the stack, and before a rank of a launch that is started outside
    #: (`{processes_per_node}`, `{launch}`); empty: it is in none.
    inside: list[str] = Field(default_factory=list)
    inside_rank: list[str] = Field(default_factory=list)
    #: The digest of the image, and the command that prints it.
    image_digest: str = ""
    image_check: list[str] = Field(default_factory=list)
    #: `launcher.pmi`: the interface by which its ranks connect; empty: not stated.
    pmi: str = ""
    #: How to read what carries the messages of its launches from `transport-<stack>.out` of the attempt.
    transport: TransportReport | None = None


class LaunchSpec(Record):
    """One launch with its command. The site's names are added to the header in the job, where they are available.

    `launchers`: the commands that can start it, that of the stack (`stack`) and those of a site, by ReFrame's name.
    `rank_hosts`: the host of each rank if it is prescribed (`@0`: the first node of the allocation).
    """

    name: str
    stack: str
    processes: int
    processes_per_node: int
    nodes: int
    placement: str
    #: One for each of its threads, but where the node has too few.
    cores_per_process: int = 1
    cases: list[tuple[str, int]]
    rank_hosts: list[str]
    launchers: dict[str, list[str]]
    program: list[str]
    #: Like `launchers`, for one process per node that records the node's properties.
    describers: dict[str, list[str]] = Field(default_factory=dict)
    #: For a third-party benchmark: its name, the arguments that preload a library, the program's hash, the properties
    #: of the launch (the engine gets them as options), and files that the program reads, name → content.
    tool: str = ""
    loaded_before: list[str] = Field(default_factory=list)
    program_sha256: str = ""
    facts: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    #: The program of NPB; and the seconds after which it is stopped, 0: those of the block.
    runs: ProgramRun | None = None
    launch_seconds: int = 0
    #: Launches with the same session are started together and measure in turns, by these options of the engine; empty:
    #: it is alone.
    session: str = ""
    turn: list[str] = Field(default_factory=list)
    #: Memory in MiB that the session needs on each node.
    session_mib: int = 0


class CandleSpec(Record):
    """A standard candle that takes part in the turns of a session. Fields as in LaunchSpec; `stack`: whose launcher."""

    name: str
    session: str
    stack: str
    launchers: dict[str, list[str]]
    program: list[str]
    turn: list[str]
    launch_seconds: int


class TimerCheck(Record):
    """One process on each node that checks every timer before the first launch. Fields as in LaunchSpec."""

    stack: str
    rank_hosts: list[str]
    launchers: dict[str, list[str]]
    program: list[str]


class BlockSpec(Record):
    """The launches of one attempt, in the order in which they run."""

    block: str
    attempt: str
    nodes: int
    processes_per_node: int
    #: The most of a launch.
    cores_per_process: int = 1
    #: Cores of a node, by the plan.
    cores_per_node: int | None = None
    launch_seconds: int
    #: Nodes that the allocation must contain.
    hosts: list[str]
    #: `partition`: that of the site's partition, if the stack supports it; `stack`: that of the stack; or a name.
    launcher: str
    #: Hours that the job may wait in the queue.
    queue_hours: float | None
    stacks: dict[str, StackSpec]
    launches: list[LaunchSpec]
    candles: list[CandleSpec] = Field(default_factory=list)
    #: The job's first step; none on simulated machines, whose clocks are the simulator's.
    timer_check: TimerCheck | None = None
    #: For each stack that prints what carries its messages, its widest launch with a tiny measurement.
    transport_checks: list[LaunchSpec] = Field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Folder of the attempt: raw files and output of its launches."""
        return Path(self.attempt)
