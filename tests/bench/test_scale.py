# SPDX-License-Identifier: BSD-3-Clause
"""Time and memory of ingest, analyse (with figures) and render against the number of runs, and how they grow."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from math import log
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from isochron.schemas.run.layout import RunLayout
from tests.bench.scaled import SCALES, write_scaled

pytestmark = pytest.mark.bench

#: Millions of runs; the largest needs 3 GB of disk. ISOCHRON_BENCH_SCALES=0.3,3 leaves it out.
WANTED = os.environ.get("ISOCHRON_BENCH_SCALES", ",".join(SCALES)).split(",")
STEPS = ("ingest", "ingest", "analyse", "render")


def step(name: str, run: Path) -> tuple[float, float, float]:
    """Elapsed and processor seconds, and MiB at most of the largest process."""
    before = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "isochron.postprocess", name, str(run)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def test_scale(tmp_path: Path) -> None:
    last: tuple[int, float] | None = None
    print("\nmillions of runs | step | s | processor s | MiB")
    for scale in WANTED:
        run = write_scaled(tmp_path / scale, SCALES[scale])
        total = 0.0
        for number, name in enumerate(STEPS):
            seconds, processor, memory = step(name, run)
            again = ", nothing new" if number == 1 else ""
            total += 0.0 if again else processor
            print(f"{scale} | {name}{again} | {seconds:.1f} | {processor:.1f} | {memory:.0f}")
        layout = RunLayout(run)
        runs = pq.read_metadata(layout.table("runs")).num_rows
        print(f"{scale} | page | {layout.report.stat().st_size / 1e6:.2f} MB")
        assert layout.report.stat().st_size <= 2_000_000
        if last:
            power = log(total / last[1]) / log(runs / last[0])
            print(f"{scale} | processor time grows with runs to the power {power:.2f}")
        last = runs, total
