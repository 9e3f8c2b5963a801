# SPDX-License-Identifier: BSD-3-Clause
"""What the engine itself costs: nothing within a batch that the kernel or the allocator sees, and little memory."""

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.engine.simulator import CONFIGURATION
from tests.engine.support import Mpi, needs_simgrid, read_records, rows_of, simulator

#: Every measured Bcast becomes a system call that nothing else makes, with the number of allocations so far.
MARKER = """
#include <mpi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);
static __thread long calls;
void *malloc(size_t n) { calls++; return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { calls++; return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { calls++; return __libc_realloc(p, n); }
void free(void *p) { calls++; __libc_free(p); }
int MPI_Bcast(void *buffer, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    if (n != 24 || t != MPI_BYTE)
        return PMPI_Bcast(buffer, n, t, root, c);
    syscall(SYS_getpgid, calls);
    return MPI_SUCCESS;
}
"""

BATCH = 50


def seen_in_batches(mpi: Mpi, engine: Path, folder: Path, *words: str) -> tuple[int, list[str]]:
    """Runs that were seen, and what the kernel and the allocator saw between the runs of a batch.

    From inside one run to inside the next lie: its end, its record, the wait, the start.
    """
    source, shim, log = folder / "marker.c", folder / "marker.so", folder / "calls"
    source.write_text(MARKER)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    words = ("--operations", "bcast", "--sizes", "24", "--output", "out.jsonl", "--stop", "reps", *words)
    words = ("--batch", str(BATCH), "--max-reps", str(4 * BATCH), "--max-valid", str(4 * BATCH), *words)
    command = ["strace", "-f", "-o", str(log), "-E", f"LD_PRELOAD={shim}", str(engine), *words]
    done = subprocess.run(command, cwd=folder, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    if "ptrace" in done.stderr or not log.exists():
        pytest.skip(f"strace may not trace here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    lines = [re.match(r"(\d+) +(.*)", line) for line in log.read_text().splitlines()]
    calls = [(line[1], line[2]) for line in lines if line is not None]
    own = next(process for process, call in calls if call.startswith("getpgid("))
    calls = [(process, call) for process, call in calls if process == own]
    marks = [index for index, (_, call) in enumerate(calls) if call.startswith("getpgid(")][-4 * BATCH :]
    found = []
    for run, (mark, following) in enumerate(pairwise(marks), start=1):
        if run % BATCH == 0:
            continue  # between batches the schedule is announced and results are combined
        found += [call for _, call in calls[mark + 1 : following]]
        if calls[mark][1].split("=")[0] != calls[following][1].split("=")[0]:
            found.append(f"allocations: {calls[mark][1]} became {calls[following][1]}")
    return len(marks), found


@pytest.mark.mpi
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not here")
@pytest.mark.parametrize("words", [[], ["--buffers", "cold"], ["--per-rank"]], ids=["warm", "cold", "per-rank"])
def test_nothing_happens_within_a_batch(mpi: Mpi, engine: Path, tmp_path: Path, words: list[str]) -> None:
    """No system call, no allocation, no output from the first run of a batch to its last."""
    runs, found = seen_in_batches(mpi, engine, tmp_path, *words)
    assert runs == 4 * BATCH and found == []


@pytest.mark.mpi
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not here")
def test_the_proof_can_fail(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """With --wait sleep there is a system call before every start, and it is seen."""
    runs, found = seen_in_batches(mpi, engine, tmp_path, "--wait", "sleep", "--arrival", "one-late:200")
    assert runs == 4 * BATCH and any("nanosleep" in call for call in found)


def own_memory(folder: Path, engine: Path, processes: int) -> float:
    """Peak bytes of the engine's own state for each simulated rank."""
    counting = folder / "counting.so"
    source = Path(__file__).with_name("counting.c")
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-o", counting, source], check=True)
    hosts = max(1, processes // 8)
    (folder / "platform.xml").write_text(PLATFORM.replace("LAST", str(hosts - 1)))
    (folder / "hosts").write_text("".join(f"n{rank // 8}\n" for rank in range(processes)))
    command = ["smpirun", "-np", str(processes), "-platform", "platform.xml", "-hostfile", "hosts", "-no-privatize"]
    command += ["--log=root.thresh:error", *(f"--cfg={entry}" for entry in [*CONFIGURATION, *LARGE])]
    command += [str(engine), "--wait", "sleep", "--output", "out.jsonl", "--clock-sync", "none"]
    command += ["--operations", "wait-pattern-null,bcast", "--sizes", "64KiB", "--stop", "reps", "--max-reps", "8"]
    command += ["--min-valid", "4", "--warmup-reps", "1"]
    done = subprocess.run(
        command,
        cwd=folder,
        env=simulator().env | {"LD_PRELOAD": str(counting)},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    records = read_records(folder / "out.jsonl")
    assert [row["bytes"] for row in rows_of(records)] == [65536, 0] and records[0]["processes"] == processes
    peaks = [int(peak) for peak in re.findall(r"engine-heap (\d+)", done.stderr)]  # one of each process: smpirun's too
    assert max(peaks, default=0) > 0
    return max(peaks) / processes


PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-LAST" speed="10Gf" bw="5GBps" lat="1us"
           loopback_bw="6GBps" loopback_lat="0.5us"/>
</platform>
"""
#: Algorithms whose cost in the simulator does not grow with the square of the ranks.
LARGE = [
    "contexts/stack-size:128",
    "contexts/guard-size:0",
    "smpi/coll-selector:default",
    "smpi/barrier:ompi_bruck",
    "smpi/bcast:binomial_tree",
    "smpi/reduce:binomial",
    "smpi/gather:ompi_binomial",
    "smpi/scatter:ompi_binomial",
    "smpi/allreduce:rdb",
]


@pytest.mark.simgrid
@needs_simgrid
@pytest.mark.parametrize("processes", [64, pytest.param(8192, marks=pytest.mark.slow)])
def test_own_state_is_small(simulated_engine: Path, tmp_path: Path, processes: int) -> None:
    """At most 1 MiB a rank for sizes up to 64 KiB, outside the operation's buffers; a tenth of it is asserted."""
    per_rank = own_memory(tmp_path, simulated_engine, processes)
    print(f"{processes} ranks: {per_rank:.0f} bytes of own state a rank")
    assert per_rank < (1 << 20) / 10
