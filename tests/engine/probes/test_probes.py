# SPDX-License-Identifier: BSD-3-Clause
"""Interference: it is read between batches, outside all slots, and not where there is none."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.engine.simulator import simulated_records
from tests.engine.support import Finished, Mpi, read_records, rows_of
from tests.engine.test_bookkeeping import MARKER

Run = Callable[..., Finished]
WORDS = ("--operations", "allreduce", "--sizes", "8,16,24", "--stop", "reps", "--batch", "8", "--output", "out.jsonl")


def many(runs: int) -> tuple[str, ...]:
    return "--max-reps", str(runs), "--max-valid", str(runs)


def read_at_last(run_engine: Run, output: Path, processes: int = 2) -> Finished:
    """A launch with readings: after one that other work has made long, the engine pauses long, and short launches end.

    A reading may take a hundredth of the time, and one in which a process lost its core takes milliseconds.
    """
    for runs in (4000, 40_000, 400_000):
        output.unlink(missing_ok=True)
        done = run_engine(*WORDS, *many(runs), processes=processes)
        if done.code or any(row["probes"] for row in rows_of(read_records(output))):
            break
    return done


@pytest.mark.mpi
def test_readings_stand_between_the_batches(run_engine: Run, tmp_path: Path) -> None:
    """Of each row: in the order of time, after whole batches, with a cache line that two processes share."""
    done = read_at_last(run_engine, tmp_path / "out.jsonl")
    assert done.code == 0, done.err
    launch = read_launch(tmp_path / "out.jsonl")
    assert launch.header.probes is not None and launch.header.probes.read
    assert launch.header.probes.cache_line_pairs == 1
    found = [row.probes for row in launch.measurements if row.probes is not None]
    assert found
    for probes in found:
        assert probes.reps == [8 * (batch + 1) for batch in probes.batch]
        assert len(set(probes.batch)) == len(probes.batch)
        assert 0 < probes.spent_ns < launch.footer.elapsed_ns
    times = [time for probes in found for time in probes.t_ns]
    assert times == sorted(times) and times[-1] < launch.footer.elapsed_ns + 10**9
    of_processes = [value for probes in found for value in probes.compute_ns if value is not None]
    assert of_processes and min(of_processes) > 0


@pytest.mark.mpi
@pytest.mark.parametrize("words", [(), ("--probes", "off")], ids=["one process", "none"])
def test_no_pair_and_no_probes(run_engine: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    """A process alone has no cache line, and what is not wanted is not read; the header says so."""
    if words:
        done = run_engine(*WORDS, *many(4000), *words)
    else:
        done = read_at_last(run_engine, tmp_path / "out.jsonl", processes=1)
    assert done.code == 0, done.err
    records = read_records(tmp_path / "out.jsonl")
    probes, rows = records[0]["probes"], [row["probes"] for row in rows_of(records) if row["probes"]]
    assert probes["cache_line_pairs"] == 0
    if words:
        assert (probes["read"], probes["why_not"], probes["reference"], rows) == (False, "--probes off", {}, [])
    else:
        assert probes["read"] and rows
        assert {value for row in rows for value in row["cache_line_ns"]} == {None}
        assert probes["reference"]["cache_line_ns"] is None and probes["reference"]["compute_ns"] > 0


@pytest.mark.mpi
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not here")
def test_the_kernel_is_asked_between_batches_alone(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Every call by which interference asks the kernel stands before the first run of a batch, or after the last."""
    source, shim = tmp_path / "marker.c", tmp_path / "marker.so"
    source.write_text(MARKER)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    batch, asked = 50, list[int]()
    for batches in (600, 6000, 6000, 6000):  # until there is a reading: on a loaded machine the engine pauses long
        asked = runs_before_each_question(mpi, engine, shim, batch, batches)
        if asked:
            break
    assert asked and all(runs % batch == 0 for runs in asked)


def runs_before_each_question(mpi: Mpi, engine: Path, shim: Path, batch: int, batches: int) -> list[int]:
    """Of one row: how many of its runs had been made when interference asked the kernel."""
    folder = shim.parent
    log, output = folder / "calls", folder / "out.jsonl"
    output.unlink(missing_ok=True)
    words = ["--operations", "bcast", "--sizes", "24", "--output", output.name, "--stop", "reps"]
    words += ["--batch", str(batch), "--max-reps", str(batch * batches), "--max-valid", str(batch * batches)]
    command = ["strace", "-f", "-e", "trace=getpgid,getrusage", "-o", str(log), "-E", f"LD_PRELOAD={shim}"]
    done = subprocess.run(
        [*command, str(engine), *words], cwd=folder, env=mpi.env, capture_output=True, text=True, check=False
    )
    if "ptrace" in done.stderr or not log.exists():
        pytest.skip(f"strace may not trace here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    calls = re.findall(r"^\d+ +(getpgid|getrusage)\(", log.read_text(), re.MULTILINE)
    (row,) = rows_of(read_records(output))
    marks = [index for index, call in enumerate(calls) if call == "getpgid"][-row["reps_made"] :]
    runs, asked = 0, []
    for call in calls[marks[0] :]:
        runs += call == "getpgid"
        if call == "getrusage":
            asked.append(runs)
    return asked


def test_a_simulated_machine_has_no_probes(simulated_engine: Path, tmp_path: Path) -> None:
    """Nothing is read, and the header says why."""
    words = ("--operations", "bcast", "--sizes", "8", "--stop", "reps", "--max-reps", "8", "--min-valid", "4")
    records = simulated_records(simulated_engine, tmp_path, 4, *words)
    assert records[0]["probes"]["why_not"] == "a simulated machine has no interference"
    assert {row["probes"] for row in rows_of(records)} == {None}
