# SPDX-License-Identifier: BSD-3-Clause
"""`isochron profile`: the MPI calls of a program."""

import argparse
import os
import sys
from pathlib import Path

from rich.console import Console

from isochron.cli.common import Row, Verbs, add_format, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.schemas.profile.profile import SUFFIX, Profile, merged
from isochron.workflows.profiling.run import (
    VARIABLE,
    Wrapper,
    build_library,
    keep,
    place_for,
    run_profiled,
    wrapper_beside,
    wrapper_of_stack,
)

EXAMPLE = """\
  isochron profile -- mpiexec -n 4 ./solver input           writes solver.profile.json
  isochron profile --stack mpich-5.0 -- mpiexec -n 2 ./a    with the mpiexec of an Isochron stack
  isochron profile --library openmpi-5.0                    the library's path, for a job script of your own
  isochron profile --read run1.ranks --name run1            read the files of such a job, or of a killed one
  isochron plan --from-profile solver.profile.json          then: a campaign that covers its MPI calls"""

#: Classes of calls in the short table.
MOST = 15


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "profile", EXAMPLE, call)
    verb.add_argument("--name", metavar="NAME", help=f"writes NAME{SUFFIX} here (default: the program's name)")
    which = verb.add_mutually_exclusive_group()
    which.add_argument("--stack", metavar="STACK", help="stack of the program's MPI library, whose `mpiexec` is used")
    which.add_argument(
        "--mpicc", metavar="MPICC", help="compiler wrapper of the program's MPI library (default: beside the launcher)"
    )
    what = verb.add_mutually_exclusive_group()
    what.add_argument(
        "--library",
        nargs="?",
        const="",
        metavar="STACK",
        help="build the profiling library for STACK, or for --mpicc, and print its path",
    )
    what.add_argument("--read", type=Path, metavar="DIR", help="read the per-process files of a finished job")
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Profile a command, or read a profile; return the exit code of the program."""
    command: list[str] = arguments.extra
    if arguments.read is not None or arguments.library is not None:
        if command:
            raise FileError("profile: a command after `--` is profiled; remove --read and --library")
        return _read(arguments) if arguments.read is not None else _library(arguments)
    if not command:
        raise FileError(
            "profile: the command is missing; give it after `--`, as in isochron profile -- mpiexec -n 2 ./a"
        )
    place = place_for(arguments.name or _name_of(command))
    code = run_profiled(command, _wrapper(arguments, command[0]), place)
    profile = keep(place, command)
    _print(profile, place.file, arguments)
    return code


def _name_of(command: list[str]) -> str:
    """Return the name of the last argument that is a program; the launcher comes before it."""
    programs = [word for word in command[1:] if Path(word).is_file() and os.access(word, os.X_OK)]
    return Path((programs or command)[0]).name


def _wrapper(arguments: argparse.Namespace, launcher: str) -> Wrapper:
    if arguments.stack is not None:
        return wrapper_of_stack(arguments.stack)
    return wrapper_beside(launcher) if arguments.mpicc is None else Wrapper(arguments.mpicc, dict(os.environ))


def _library(arguments: argparse.Namespace) -> int:
    stack = arguments.library
    library = build_library(wrapper_of_stack(stack) if stack else _wrapper(arguments, "mpicc"))
    print(library)
    if not arguments.quiet:
        print(
            f"set LD_PRELOAD={library} and {VARIABLE}=DIR (an empty folder on a shared file system) for every process; "
            "then run isochron profile --read DIR",
            file=sys.stderr,
        )
    return Exit.DONE


def _read(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.read
    if not folder.is_dir():
        raise FileError(f"--read {folder}: not a folder; give the one in {VARIABLE}")
    profile = merged(folder)
    file = place_for(arguments.name or profile.program).file
    profile.save(file)
    _print(profile, file, arguments)
    return Exit.DONE


def _print(profile: Profile, file: Path, arguments: argparse.Namespace) -> None:
    """Print the totals of a profile and the classes with the most time."""
    console = Terminal(folds=True)
    rows = _rows(profile)
    if arguments.format != "table":
        print_rows(rows, COLUMNS, arguments.format, console)
        return
    _print_totals(profile, console)
    if not arguments.quiet:
        shown = rows if arguments.verbose else rows[:MOST]
        print_rows(shown, COLUMNS, "table", console)
        if len(shown) < len(rows):
            console.print(f"and {len(rows) - len(shown)} classes with less time; the file lists all")
    console.print(str(file))


def _print_totals(profile: Profile, console: Console) -> None:
    calls = sum(entry.calls for entry in profile.communication)
    console.print(
        f"{profile.program}: {profile.processes} processes on {profile.nodes} nodes, {profile.library}\n"
        f"{calls} calls; {_time(profile)}"
    )
    if profile.finished < profile.processes:
        console.print(f"{profile.finished} processes reached MPI_Finalize; {profile.counted} wrote their counts")


def _time(profile: Profile) -> str:
    """Format the time in MPI; it is a share of the run time only if one thread at a time calls MPI."""
    if profile.threads == "multiple":
        beside = f"; it ran for {profile.seconds:.3g} s" if profile.seconds else ""
        return f"{profile.mpi_seconds:.3g} s in MPI on average per process, summed over threads{beside}"
    part = f" of {profile.seconds:.3g} s" if profile.seconds else ""
    return f"{profile.mpi_seconds:.3g} s{part} in MPI on average per process"


COLUMNS = ("operation", "bytes", "processes", "calls", "seconds", "share", "mean_us", "fastest_us")


def _rows(profile: Profile) -> list[Row]:
    """Return a row per class: bytes of a bin with `~`, seconds on average per process."""
    total = profile.mpi_seconds or 1.0
    return [
        {
            "operation": entry.operation,
            "bytes": str(entry.bytes) if entry.exact else f"~{entry.bytes}",
            "processes": entry.processes or None,
            "calls": entry.calls,
            "seconds": float(f"{entry.seconds / profile.counted:.3g}"),
            "share": f"{100 * entry.seconds / profile.counted / total:.1f} %",
            "mean_us": float(f"{1e6 * entry.seconds / entry.calls:.3g}"),
            "fastest_us": float(f"{entry.fastest_us:.3g}"),
        }
        for entry in profile.communication
    ]
