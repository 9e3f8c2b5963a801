# SPDX-License-Identifier: BSD-3-Clause
"""--memory: the record agrees with itself and sees what the library takes, but not the engine's buffers."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.engine.simulator import simulated_records
from tests.engine.support import Finished, Mpi, needs_simgrid, read_records

Run = Callable[..., Finished]

STEPS = ["before-init", "init", "barrier", "allreduce", "alltoall-eager", "alltoall-rendezvous", "comm-dup"]
WORDS = ["--operations", "barrier", "--output", "out.jsonl", "--memory"]
MIB = 1 << 20

#: An Allreduce that takes 40 MiB, of which 8 are locked, when it is called first.
GREEDY = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)
{
    static char *taken = NULL;
    if (taken == NULL) {
        taken = mmap(NULL, 40 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(taken, 1, 40 << 20);
        mlock(taken, 8 << 20);
    }
    return PMPI_Allreduce(s, r, n, t, o, c);
}
"""


def memory_steps(folder: Path) -> dict[str, dict[str, Any]]:
    """The steps of the record, which the readers accept."""
    (record,) = [record for record in read_records(folder / "out.jsonl") if record["record"] == "memory"]
    assert len(read_launch(folder / "out.jsonl").measurements) == 1
    return {step["step"]: step for step in record["steps"]}


@pytest.mark.mpi
def test_figures_agree(run_engine: Run, tmp_path: Path) -> None:
    """PSS lies between private and resident memory; hosts add up; MPI_Init takes memory."""
    done = run_engine(*WORDS)
    assert done.code == 0, done.err
    steps = memory_steps(tmp_path)
    assert list(steps) == STEPS
    for step in steps.values():
        figures = step["processes"]
        assert 0 < figures["private_bytes"]["min"] <= figures["pss_bytes"]["min"] <= figures["rss_bytes"]["min"]
        (host,) = step["hosts"]
        assert host["processes"] == 2 and host["dev_shm_bytes"] >= 0
        for name, figure in figures.items():
            assert figure["min"] <= figure["median"] <= figure["max"] <= figure["sum"] == host[name]
    private = {name: step["processes"]["private_bytes"]["min"] for name, step in steps.items()}
    assert private["init"] > private["before-init"] + MIB // 2


@pytest.mark.mpi
def test_memory_of_one_call_is_seen(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """What a call takes shows in its step and stays; the engine's own buffers do not show."""
    source, shim = tmp_path / "greedy.c", tmp_path / "greedy.so"
    source.write_text(GREEDY)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    command = mpi.launch(2, ["env", f"LD_PRELOAD={shim}", engine, *WORDS])
    done = subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    steps = memory_steps(tmp_path)
    private = {name: step["processes"]["private_bytes"]["min"] for name, step in steps.items()}
    taken = private["allreduce"] - private["barrier"]
    assert abs(taken - 40 * MIB) < MIB // 2  # the library gives back a page or takes some for itself in the same call
    assert abs(private["alltoall-rendezvous"] - private["alltoall-eager"]) < 2 * MIB
    locked = {name: step["processes"]["locked_bytes"]["min"] for name, step in steps.items()}
    assert locked["barrier"] == 0 and locked["allreduce"] in {0, 8 * MIB}


@needs_simgrid
def test_simulated_processes_have_none(simulated_engine: Path, tmp_path: Path) -> None:
    """They share one memory, and the record says nothing of it."""
    records = simulated_records(simulated_engine, tmp_path, 4, "--operations", "barrier", "--memory")
    assert [record["steps"] for record in records if record["record"] == "memory"] == [[]]
