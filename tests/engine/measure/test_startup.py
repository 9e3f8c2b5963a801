# SPDX-License-Identifier: BSD-3-Clause
"""Start and end of a launch: what they take in every library, and known waits in MPI_Init and MPI_Finalize."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from isochron.postprocess.ingest.measurements import PROCESS_START_NS
from isochron.schemas.run.launch_file import LaunchFile, read_launch
from isochron.schemas.run.record_parts import Startup
from tests.engine.measure.test_first_call import LOCAL, orders
from tests.engine.simulator import simulated_records
from tests.engine.support import LIBRARIES_BY_FEATURES, Mpi, build_engine, wheels_stack

FEW = ["--operations", "barrier", "--stop", "reps", "--max-reps", "4", "--min-valid", "1", "--wait", "sleep"]
#: Seconds that a process waits, longer than the step of the kernel's clock.
WAIT = 0.3


def launch(mpi: Mpi, engine: Path, folder: Path, processes: int, *before: str) -> LaunchFile:
    """A launch, read as a run reads it: complete, with its checksum."""
    output = folder / f"{processes}.jsonl"
    command = mpi.launch(processes, [*before, engine, "--output", output, *FEW])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return read_launch(output)


def start_of(file: LaunchFile) -> Startup:
    """The start; each step has a least, a median and a largest duration in this order."""
    start = file.header.startup
    assert start is not None and start.loading is not None
    for _, step in start:
        assert 0 <= step.min_ns <= step.median_ns <= step.max_ns
    assert start.loading.all_ns >= start.loading.max_ns and start.init.all_ns >= start.init.max_ns > 0
    assert start.first_message.all_ns > 0 and start.first_barrier.all_ns > 0
    return start


@pytest.mark.mpi
@pytest.mark.parametrize("name", LIBRARIES_BY_FEATURES)
def test_every_library_has_them(name: str, tmp_path: Path) -> None:
    stack = wheels_stack(name)
    file = launch(stack, build_engine(stack, tmp_path / "build"), tmp_path, 2)
    start_of(file)
    assert file.footer.finalize_ns is not None and file.footer.finalize_ns > 0


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_any_number_of_processes_has_them(mpi: Mpi, engine: Path, tmp_path: Path, processes: int) -> None:
    start = start_of(launch(mpi, engine, tmp_path, processes))
    if processes == 1:
        assert start.init.min_ns == start.init.max_ns == start.init.all_ns


WAITS = """
#include <mpi.h>
#include <time.h>
static void wait_of_the_last(int on)
{
    int rank = 0, size = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    const struct timespec pause = {0, 300000000};
    if (rank == (on < 0 ? size - 1 : on))
        nanosleep(&pause, NULL);
}
int MPI_Init(int *c, char ***v)
{
    const int result = PMPI_Init(c, v);
    wait_of_the_last(-1);
    return result;
}
int MPI_Finalize(void)
{
    wait_of_the_last(0);
    return PMPI_Finalize();
}
"""


@pytest.mark.mpi
def test_known_waits_are_where_they_belong(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The last process stays in MPI_Init: those that wait for its message are not slow to send one."""
    source, shim = tmp_path / "waits.c", tmp_path / "waits.so"
    source.write_text(WAITS)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    file = launch(mpi, engine, tmp_path, 2, "env", f"LD_PRELOAD={shim}")
    start = start_of(file)
    assert start.init.max_ns >= WAIT * 1e9 and start.init.all_ns >= WAIT * 1e9
    assert start.init.max_ns - start.init.min_ns > start.first_message.all_ns
    assert start.first_message.max_ns > start.first_message.all_ns
    assert file.footer.finalize_ns is not None and file.footer.finalize_ns >= WAIT * 1e9


@pytest.mark.mpi
def test_a_slow_launcher_is_not_a_slow_start_of_processes(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The processes begin after its wait, to the step of the kernel's clock; what they do themselves is later."""
    output = tmp_path / "slow.jsonl"
    before = time.time_ns()
    command = ["sh", "-c", f'sleep {WAIT}; exec "$@"', "sh", *mpi.launch(2, [engine, "--output", output, *FEW])]
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    file = read_launch(output)
    began = file.header.processes_began_ns
    assert began is not None and before + WAIT * 1e9 - PROCESS_START_NS <= began
    assert began + start_of(file).init.all_ns <= time.time_ns()


@pytest.mark.mpi
def test_nothing_precedes_the_first_message(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    for calls in orders(mpi, engine, tmp_path, *FEW):
        exchanges = [name for name in calls if name not in LOCAL]
        assert exchanges[:2] == ["MPI_Sendrecv", "MPI_Barrier"]
        assert exchanges[-2:] == ["MPI_Barrier", "MPI_Finalize"]


@pytest.mark.mpi
def test_a_timed_first_call_comes_first(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    output = tmp_path / "first.jsonl"
    command = mpi.launch(2, [engine, "--output", output, "--first-call", *FEW])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert read_launch(output).header.startup is None


def test_simulated_processes_are_not_started(simulated_engine: Path, tmp_path: Path) -> None:
    header, *_, footer = simulated_records(simulated_engine, tmp_path, 4, *FEW[:-2])
    assert header["startup"] is None and header["processes_began_ns"] is None and "finalize_ns" not in footer
