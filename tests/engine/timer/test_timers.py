# SPDX-License-Identifier: BSD-3-Clause
"""--check-timer, and launches with a timer that is not reliable: libraries put before libc play false clocks."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.support import Finished, Mpi, read_records

pytestmark = pytest.mark.mpi

TIMERS = ["mpi-wtime", "clock-gettime", "gettimeofday", "tsc"]

#: What gettimeofday does with the true microseconds in `now`.
FALSE_CLOCKS = {
    "fast": "now += now % 100000000 / 500;",
    "backwards": "static long calls = 0; now -= ++calls % 100 == 0 ? 50 : 0;",
}

FALSE_GETTIMEOFDAY = """
#include <time.h>
#include <sys/time.h>
int gettimeofday(struct timeval *value, void *zone)
{
    struct timespec true_time;
    clock_gettime(CLOCK_REALTIME, &true_time);
    long now = true_time.tv_sec * 1000000L + true_time.tv_nsec / 1000;
    CHANGE
    value->tv_sec = now / 1000000;
    value->tv_usec = now % 1000000;
    return 0;
}
"""


def run_false(mpi: Mpi, engine: Path, folder: Path, clock: str, *words: str) -> Finished:
    """Runs the engine on two processes, rank 1 of which has a false gettimeofday."""
    source, shim, start = folder / "false.c", folder / "false.so", folder / "start.sh"
    source.write_text(FALSE_GETTIMEOFDAY.replace("CHANGE", FALSE_CLOCKS[clock]))
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    start.write_text(f'[ "$OMPI_COMM_WORLD_RANK" = 1 ] && export LD_PRELOAD={shim}\nexec "$@"\n')
    command = mpi.launch(2, ["sh", start, engine, *words])
    done = subprocess.run(command, cwd=folder, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)


def verdicts(out: str) -> dict[str, str]:
    """Timer and verdict of each line after the heading."""
    return {line.split()[2]: line.split()[6].rstrip(":") for line in out.splitlines()[1:]}


@pytest.mark.parametrize(("clock", "reason"), [("fast", "rate"), ("backwards", "backwards")])
def test_a_false_clock_is_seen(mpi: Mpi, engine: Path, tmp_path: Path, clock: str, reason: str) -> None:
    """One false process is enough; it counts only when that timer is asked for."""
    done = run_false(mpi, engine, tmp_path, clock, "--check-timer", "--timer", "gettimeofday")
    assert done.code == 3 and len(done.complaints) == 1 and reason in done.complaints[0], done.err
    assert list(verdicts(done.out)) == TIMERS
    assert verdicts(done.out)["gettimeofday"] == "unusable"
    done = run_false(mpi, engine, tmp_path, clock, "--check-timer", "--timer", "clock-gettime")
    assert done.code == 0, done.err
    assert verdicts(done.out)["gettimeofday"] == "unusable" and verdicts(done.out)["clock-gettime"] != "unusable"


def test_nothing_is_measured_with_a_false_clock(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Every launch checks its timer first."""
    words = ["--operations", "barrier", "--output", "out.jsonl", "--timer"]
    done = run_false(mpi, engine, tmp_path, "fast", *words, "gettimeofday")
    assert done.code == 3 and len(done.complaints) == 1 and "rate" in done.complaints[0], done.err
    assert not (tmp_path / "out.jsonl").exists()
    done = run_false(mpi, engine, tmp_path, "fast", *words, "clock-gettime")
    assert done.code == 0, done.err
    assert abs(read_records(tmp_path / "out.jsonl")[0]["timer"]["rate_ppm"]) < 1000
