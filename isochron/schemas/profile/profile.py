# SPDX-License-Identifier: BSD-3-Clause
"""The profile of a job: MPI calls of all its processes by class; built from their files, and read from its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, ValidationError

from isochron.common.files import FileError, open_file
from isochron.common.text import in_a_line, is_a_line
from isochron.schemas.base import OneLine, Record, first_problem
from isochron.schemas.profile.rank_file import Class, Counters, RankFile, read_rank_file

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


#: The levels of thread support in their order.
THREADS = ("single", "funneled", "serialized", "multiple")


def load_profile(path: Path) -> Profile:
    """A profile: its file, or the folder that holds the files of the processes. Raises FileError."""
    if not is_a_line(str(path)):
        raise FileError(f"{in_a_line(str(path))}: the name contains a control character or a line end; rename it")
    return merged(path) if path.is_dir() else Profile.load(path)


def merged(folder: Path, command: Sequence[str] = ()) -> Profile:
    """The profile of the processes whose files lie in a folder. Raises FileError."""
    try:
        return _together(folder, command)
    except ValidationError as error:
        raise FileError(f"{folder}: {first_problem(error)}; profile the program again") from error


def _together(folder: Path, command: Sequence[str]) -> Profile:
    """The same; numbers that no profile has raise ValidationError."""
    paths = sorted(folder.glob("rank-*.isoprof"), key=lambda path: (len(path.name), path.name))
    files = [read_rank_file(path) for path in paths if _is_begun(path)]
    if not files:
        raise FileError(
            f"{folder}: no process wrote a profile; check that the program uses MPI, and that it gets LD_PRELOAD and "
            "ISOCHRON_PROFILE"
        )
    for each in files[1:]:
        if (each.processes, each.library, each.program) != (files[0].processes, files[0].library, files[0].program):
            raise FileError(f"{each.path}: is of another launch than {files[0].path}; use one folder per launch")
    hosts = Counter(each.host for each in files)
    lives = [each.seconds for each in files if each.seconds is not None]
    begun = datetime.fromtimestamp(min(each.wall_ns for each in files) / 1e9, UTC)
    return Profile(
        program=files[0].program,
        command=list(command),
        library=files[0].library,
        threads=THREADS[min(max(files[0].threads, 0), 3)],
        begun_at=begun.strftime("%Y-%m-%dT%H:%M:%SZ"),
        processes=files[0].processes,
        processes_per_node=max(hosts.values()),
        nodes=len(hosts),
        counted=len(files),
        finished=len(lives),
        seconds=sum(lives) / len(lives) if lives else None,
        classes=_classes(files),
    )


def _is_begun(path: Path) -> bool:
    """Whether its process came to count anything: it may have been killed while it made the file."""
    try:
        with open_file(path) as stream:
            return stream.read(1) != b"\0"
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error


def _classes(files: list[RankFile]) -> list[CallClass]:
    """All classes, the one that took the longest first."""
    together: dict[Class, list[Counters]] = {}
    for each in files:
        for own, counters in each.counted.items():
            together.setdefault(own, []).append(counters)
    found = [_class(own, counters) for own, counters in together.items()]
    return sorted(found, key=lambda each: (-each.seconds, each.operation, each.processes, each.bytes))


def _class(own: Class, counters: list[Counters]) -> CallClass:
    """A bin has the mean of its sizes, in whole elements."""
    calls, element = sum(each.calls for each in counters), own.element or 1
    mean = element * round(sum(each.bytes for each in counters) / calls / element)
    return CallClass(
        operation=own.operation,
        bytes=mean if own.binned else own.size,
        exact=not own.binned,
        element=own.element,
        processes=own.processes,
        calls=calls,
        seconds=sum(each.seconds for each in counters),
        seconds_min=min(each.seconds for each in counters),
        fastest_us=1e6 * min(each.fastest for each in counters),
    )
