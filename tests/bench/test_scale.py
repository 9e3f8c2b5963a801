# SPDX-License-Identifier: BSD-3-Clause
"""Time and memory of ingest, tables, figures and render against the number of runs, and how they grow."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from math import log
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from isochron.common.memory import FEW_THREADS
from isochron.schemas.run.layout import RunLayout
from tests.bench.scaled import SCALES, write_scaled

pytestmark = pytest.mark.bench

#: Millions of runs; the largest needs 3 GB of disk. ISOCHRON_BENCH_SCALES=0.3,3 leaves it out.
WANTED = os.environ.get("ISOCHRON_BENCH_SCALES", ",".join(SCALES)).split(",")
#: What is printed, and the module and word that do it.
STEPS = {
    "ingest": ("isochron.postprocess", "ingest"),
    "ingest, nothing new": ("isochron.postprocess", "ingest"),
    "tables": ("tests.bench.parts", "tables"),
    "figures": ("tests.bench.parts", "figures"),
    "render": ("isochron.postprocess", "render"),
}


def step(name: str, run: Path) -> tuple[float, float, float]:
    """Elapsed and processor seconds, and MiB at most of the largest process."""
    before = time.perf_counter()
    module, word = STEPS[name]
    child = subprocess.Popen(
        [sys.executable, "-m", module, word, str(run)], stdout=subprocess.DEVNULL, env=dict(os.environ) | FEW_THREADS
    )
    _, status, usage = os.wait4(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def test_scale(tmp_path: Path) -> None:
    last: tuple[int, float] | None = None
    print("\nmillions of runs | step | s | processor s | MiB")
    for scale in WANTED:
        run = write_scaled(tmp_path / scale, SCALES[scale])
        took = {name: step(name, run) for name in STEPS}
        for name, (seconds, processor, memory) in took.items():
            print(f"{scale} | {name} | {seconds:.1f} | {processor:.1f} | {memory:.0f}")
        del took["ingest, nothing new"]
        print(f"{scale} | raw files to tables | {took['ingest'][0] + took['tables'][0]:.1f} s")
        print(f"{scale} | all | {sum(seconds for seconds, *_ in took.values()):.1f} s")
        total = sum(processor for _, processor, _ in took.values())
        layout = RunLayout(run)
        runs = pq.read_metadata(layout.table("repetitions")).num_rows
        print(f"{scale} | page | {layout.report.stat().st_size / 1e6:.2f} MB")
        assert layout.report.stat().st_size <= 2_000_000
        if last:
            power = log(total / last[1]) / log(runs / last[0])
            print(f"{scale} | processor time grows with runs to the power {power:.2f}")
        last = runs, total
