# SPDX-License-Identifier: BSD-3-Clause
"""`NAME.profile.json`: what all processes of a job have called of MPI, by class of calls."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from isochron.schemas.base import OneLine, Record

#: How the file of a profile is called, after the name of what was profiled.
SUFFIX = ".profile.json"

#: A count of 64 bits, as the library that counts has them.
Whole = Annotated[int, Field(lt=2**64)]

#: Calls that are no communication of the program: they frame it.
FRAME = frozenset({"init", "finalize"})


class CallClass(Record):
    """Calls of one operation with one size on communicators of one size, over all processes of the job."""

    operation: OneLine = Field(
        description="the engine's name if it measures the operation, else MPI's, in small letters"
    )
    bytes: Whole = Field(
        ge=0, description="size of a call as the engine defines it for the operation; of a bin the mean"
    )
    exact: bool = Field(description="whether all calls have that size; else sizes of a power of two are together")
    element: Whole = Field(ge=0, description="bytes of an element of the data type; 0: none, or not 1, 2, 4, 8 or 16")
    processes: Whole = Field(ge=0, description="processes of the communicator; 0: none, or no partner; 1: with itself")
    calls: Whole = Field(gt=0, description="calls of all processes together")
    seconds: FiniteFloat = Field(ge=0, description="time of all these calls together")
    seconds_min: FiniteFloat = Field(ge=0, description="the same of the process with the least time")
    fastest_us: FiniteFloat = Field(ge=0, description="the fastest of the calls")


class Profile(Record):
    """The profile of a job."""

    schema_version: Literal[1] = 1
    program: OneLine
    command: list[str] = Field(default=[])
    library: OneLine = Field(description="first line of MPI_Get_library_version")
    threads: Literal["single", "funneled", "serialized", "multiple"] = Field(
        description="the level of thread support that MPI provided"
    )
    begun_at: OneLine = Field(description="when the first process began, in UTC")
    processes: Whole = Field(gt=0, description="processes of the job")
    processes_per_node: Whole = Field(gt=0, description="largest number on one node")
    nodes: Whole = Field(gt=0)
    counted: Whole = Field(gt=0, description="processes whose files are in it")
    finished: Whole = Field(ge=0, description="of these, those that completed MPI_Finalize")
    seconds: FiniteFloat | None = Field(
        None, description="mean time of a finished process from MPI_Init to MPI_Finalize; null if none finished"
    )
    classes: list[CallClass]

    @property
    def communication(self) -> list[CallClass]:
        """The classes without MPI_Init and MPI_Finalize."""
        return [each for each in self.classes if each.operation not in FRAME]

    @property
    def mpi_seconds(self) -> float:
        """Mean time of a process in MPI, between MPI_Init and MPI_Finalize."""
        return sum(each.seconds for each in self.communication) / self.counted
