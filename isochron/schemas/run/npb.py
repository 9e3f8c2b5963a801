# SPDX-License-Identifier: BSD-3-Clause
"""NPB in a run: what is built with a stack, what was built, and the table of the store."""

from pydantic import Field

from isochron.schemas.base import FileName, Record
from isochron.schemas.run.plan import ProgramRun
from isochron.schemas.run.store import Column


class ProgramToBuild(Record):
    """A program to build. `processes`: 0, or what an older NPB (3.3) is compiled for."""

    program: ProgramRun
    processes: int = 0


class BuildOrder(Record):
    """Input of the ReFrame check `BuildNpb`. `toolchain`: its JSON file; `witness`: source of the launch check.

    `source`: NPB's source tree; or `installed`: the folder with the programs that Spack installed.
    """

    toolchain: str
    source: str = ""
    installed: str = ""
    kit: str
    witness: str
    flags: str
    wanted: list[ProgramToBuild] = Field(min_length=1)


class BuiltProgram(Record):
    """A program that was built: its file below `stacks/<stack>/npb/`."""

    program: ProgramRun
    processes: int = 0
    file: FileName
    sha256: str


class BuiltPrograms(Record):
    """`stacks/<stack>/npb/programs.json`: all built programs, and their sources.

    `fortran`: first line of the Fortran compiler's version; `interface`: provider of the Fortran interface of MPI.
    """

    programs: list[BuiltProgram]
    witness: FileName
    source_sha256: str
    source: str
    fortran: str
    interface: str
    flags: str
    built_at: str

    def file_of(self, program: ProgramRun, processes: int) -> BuiltProgram | None:
        """Return the built program for a launch."""
        matching = (built for built in self.programs if built.program == program and built.processes in (0, processes))
        return next(matching, None)


#: The table `programs` of the store: one row per accepted launch of a program.
PROGRAMS = (
    Column("launch_id", "string", "run_id and the launch's name: the key of this table"),
    Column("program", "string", "the program: `npb`"),
    Column("kernel", "string", "kernel of NPB"),
    Column("npb_class", "string", "problem class"),
    Column("stack", "string", "MPI stack"),
    Column("mpi_version", "string", "version of its library"),
    Column("mpi_library_version", "string", "MPI_Get_library_version as the launch reported it"),
    Column("processes", "int64", "processes of the launch, as planned, as the program printed and as MPI said"),
    Column("processes_per_node", "int64", "processes on each node"),
    Column("nodes", "int64", "nodes requested"),
    Column("placement", "string", "how processes were placed on the nodes"),
    Column("block", "int64", "number of the block"),
    Column("launch", "int64", "number of the launch in its block"),
    Column("attempt", "int64", "attempt at the block in which the launch succeeded"),
    Column("started_at", "datetime64[us, UTC]", "when rank 0 left MPI_Init"),
    Column("elapsed_s", "float64", "from MPI_Init to MPI_Finalize on rank 0"),
    Column("hosts", "string", "hosts of the ranks in order, separated by commas"),
    Column("oversubscribed", "bool", "more processes on a node than cores"),
    Column("seconds", "float64", "time as printed by the program, two decimals; empty if that is 0.00"),
    Column("mops_total", "float64", "10⁶ operations per second of all processes, as printed"),
    Column("mops_per_process", "float64", "the same per process, as printed"),
    Column("iterations", "int64", "iterations of the kernel"),
    Column("size", "string", "size of the problem, as printed"),
    Column("verification", "string", "result of the program's self-check: always `SUCCESSFUL`, else there is no row"),
    Column("version", "string", "version of NPB"),
    Column("flags", "string", "compiler flags, as printed"),
    Column("program_sha256", "string", "hash of the program's executable"),
    Column("file", "string", "raw file, relative to the run's folder"),
    Column("raw_sha256", "string", "SHA-256 of that file"),
)
