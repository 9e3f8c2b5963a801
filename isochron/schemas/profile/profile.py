# SPDX-License-Identifier: BSD-3-Clause
"""The profile of a job: MPI calls of all its processes by class; built from their files, and read from its own."""

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

#: Suffix of the file of a profile.
SUFFIX = ".profile.json"

#: A count of 64 bits, as in the profiling library.
Whole = Annotated[int, Field(lt=2**64)]

#: Calls that are not communication of the program.
FRAME = frozenset({"init", "finalize"})


class CallClass(Record):
    """Calls of one operation with one size on communicators of one size, over all processes of the job."""

    operation: OneLine = Field(
        description="the engine's name if it measures the operation, else MPI's, in small letters"
    )
    bytes: Whole = Field(
        ge=0, description="size of a call as the engine defines it for the operation; the mean for a bin"
    )
    exact: bool = Field(description="whether all calls have that size; else the sizes are binned by powers of two")
    element: Whole = Field(ge=0, description="bytes of an element of the data type; 0: none, or not 1, 2, 4, 8 or 16")
    processes: Whole = Field(ge=0, description="processes of the communicator; 0: none, or no partner; 1: with itself")
    calls: Whole = Field(gt=0, description="calls of all processes together")
    seconds: FiniteFloat = Field(ge=0, description="time of all these calls together")
    seconds_min: FiniteFloat = Field(ge=0, description="the smallest such time of a process")
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
        return [entry for entry in self.classes if entry.operation not in FRAME]

    @property
    def mpi_seconds(self) -> float:
        """Mean time of a process in MPI, between MPI_Init and MPI_Finalize."""
        return sum(entry.seconds for entry in self.communication) / self.counted


#: The levels of thread support in their order.
THREADS = ("single", "funneled", "serialized", "multiple")


def load_profile(path: Path) -> Profile:
    """Read a profile from its file, or from the folder with the files of the processes. Raises FileError."""
    if not is_a_line(str(path)):
        raise FileError(f"{in_a_line(str(path))}: the name contains a control character or a line end; rename it")
    return merged(path) if path.is_dir() else Profile.load(path)


def merged(folder: Path, command: Sequence[str] = ()) -> Profile:
    """Build the profile of the processes whose files are in a folder. Raises FileError."""
    try:
        return _merge(folder, command)
    except ValidationError as error:
        raise FileError(f"{folder}: {first_problem(error)}; profile the program again") from error


def _merge(folder: Path, command: Sequence[str]) -> Profile:
    """Build the profile. Raises FileError, and ValidationError if a number is out of range."""
    paths = sorted(folder.glob("rank-*.isoprof"), key=lambda path: (len(path.name), path.name))
    files = [read_rank_file(path) for path in paths if _is_begun(path)]
    if not files:
        raise FileError(
            f"{folder}: no process wrote a profile; check that the program uses MPI, and that it gets LD_PRELOAD and "
            "ISOCHRON_PROFILE"
        )
    for rank_file in files[1:]:
        if (rank_file.processes, rank_file.library, rank_file.program) != (
            files[0].processes,
            files[0].library,
            files[0].program,
        ):
            raise FileError(f"{rank_file.path}: is of another launch than {files[0].path}; use one folder per launch")
    hosts = Counter(rank_file.host for rank_file in files)
    lives = [rank_file.seconds for rank_file in files if rank_file.seconds is not None]
    begun = datetime.fromtimestamp(min(rank_file.wall_ns for rank_file in files) / 1e9, UTC)
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
    """Return True if the process began to count; it may have been killed while it created the file."""
    try:
        with open_file(path) as stream:
            return stream.read(1) != b"\0"
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error


def _classes(files: list[RankFile]) -> list[CallClass]:
    """Return all classes, the one that took the longest first."""
    counters_of: dict[Class, list[Counters]] = {}
    for rank_file in files:
        for key, counters in rank_file.counted.items():
            counters_of.setdefault(key, []).append(counters)
    merged_classes = [_class(key, counters) for key, counters in counters_of.items()]
    return sorted(merged_classes, key=lambda entry: (-entry.seconds, entry.operation, entry.processes, entry.bytes))


def _class(key: Class, counters: list[Counters]) -> CallClass:
    """Merge the counters of a class; the size of a bin is its mean, in whole elements."""
    calls, element = sum(counter.calls for counter in counters), key.element or 1
    mean = element * round(sum(counter.bytes for counter in counters) / calls / element)
    return CallClass(
        operation=key.operation,
        bytes=mean if key.binned else key.size,
        exact=not key.binned,
        element=key.element,
        processes=key.processes,
        calls=calls,
        seconds=sum(counter.seconds for counter in counters),
        seconds_min=min(counter.seconds for counter in counters),
        fastest_us=1e6 * min(counter.fastest for counter in counters),
    )
