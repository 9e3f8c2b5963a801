# SPDX-License-Identifier: BSD-3-Clause
"""How closely the standard candle follows the libraries, and what it explains of ratios between families.

Blocks of residents in turns: four libraries and a candle. Printed are, for each case, the correlation over blocks of
the level of the candle with that of each library, and the standard deviation over blocks of the log ratio of two
libraries of different families, without and with a regression on the level of the candle.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from isochron.schemas.run.candle import read_candle
from tests.engine.candle.processes import build_candle
from tests.engine.support import Mpi, build_engine, read_records, rows_of, wheels_stack

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

BLOCKS = int(os.environ.get("ISOCHRON_BENCH_BLOCKS", "12"))
ROUNDS, REPS = 12, 40
FAMILIES = (("openmpi-4.1", "openmpi-5.0"), ("mpich-4.3", "mpich-5.0"))
LIBRARIES = tuple(stack for family in FAMILIES for stack in family)
OPERATIONS = "barrier,bcast,gather,scatter,allgather,alltoall,reduce,allreduce,reduce_scatter_block,scan,ping-pong"
WORDS = ("--operations", OPERATIONS, "--sizes", "8,4KiB,64KiB", "--passes", str(ROUNDS), "--expect-ranks", "2")
LIMITS = ("--stop", "reps", "--max-valid", str(ROUNDS * REPS), "--max-reps", str(2 * ROUNDS * REPS))

Array = NDArray[np.float64]
Rounds = dict[tuple[str, int], Array]  # operation, bytes: log of the median repetition in each round


def of_engine(path: Path) -> Rounds:
    """Medians of the repetitions that started in time; NaN for a round without any."""
    rounds: Rounds = {}
    for row in rows_of(read_records(path)):
        ends = np.cumsum(row["pass_reps"])
        times = np.where(row["valid"], row["time_ns"], np.nan)
        medians = [np.nanmedian(each) if np.isfinite(each).any() else np.nan for each in np.split(times, ends[:-1])]
        rounds[row["operation"], row["bytes"]] = np.log(np.array(medians))
    return rounds


def of_candle(path: Path) -> Rounds:
    return {(case.operation, case.bytes): np.log(np.array(case.median_ns)) for case in read_candle(path).cases}


def run_block(stacks: dict[str, Mpi], programs: dict[str, Path], folder: Path, number: int) -> dict[str, Rounds]:
    """Start all residents of a block, the candle by a launcher of Open MPI, and wait for them."""
    started, files = [], {}
    for index, (name, program) in enumerate(programs.items()):
        mpi = stacks.get(name, stacks["openmpi-5.0"])
        files[name] = folder / f"{number}-{name}.jsonl"
        turns = ["--turns", f"bench-{os.getpid()}-{number}", "--turn", f"{index}/{len(programs)}", "--turn-limit", "20"]
        own = ["--batch", str(REPS)] if name == "candle" else LIMITS
        words = [*WORDS, *own, *turns, "--turn-seed", str(number), "--output", files[name]]
        started.append(subprocess.Popen(mpi.launch(2, [program, *words]), env=mpi.env))
    assert [process.wait() for process in started] == [0] * len(started)
    return {name: of_candle(path) if name == "candle" else of_engine(path) for name, path in files.items()}


def remaining(ratios: Array, levels: Array) -> float:
    """Standard deviation of what a linear regression on the levels leaves, at n - 2 degrees of freedom."""
    slope, intercept = np.polyfit(levels, ratios, 1)
    return float(np.sqrt(np.sum((ratios - intercept - slope * levels) ** 2) / (len(ratios) - 2)))


def figures(blocks: list[dict[str, Rounds]], case: tuple[str, int]) -> dict[str, Any]:
    """Correlations by library, and the mean standard deviations over the pairs."""
    level = {name: np.array([np.nanmedian(block[name][case]) for block in blocks]) for name in blocks[0]}
    deviations = []
    for one, other in product(*FAMILIES):
        ratios = np.array([np.nanmedian(block[one][case] - block[other][case]) for block in blocks])
        deviations.append((ratios.std(ddof=1), remaining(ratios, level["candle"])))
    without, with_it = np.mean(deviations, axis=0)
    correlations = [float(np.corrcoef(level["candle"], level[name])[0, 1]) for name in LIBRARIES]
    return {"correlations": correlations, "sd": float(without), "sd_with_candle": float(with_it)}


def test_the_candle_follows_the_libraries(tmp_path: Path) -> None:
    stacks = {name: wheels_stack(name) for name in LIBRARIES}
    programs = {name: build_engine(mpi, tmp_path / name) for name, mpi in stacks.items()}
    build_candle(tmp_path / "candle")
    programs["candle"] = tmp_path / "candle" / "isochron-candle"
    blocks = []
    for number in range(BLOCKS):
        begin = time.monotonic()
        blocks.append(run_block(stacks, programs, tmp_path, number))
        print(f"block {number}: {time.monotonic() - begin:.1f} s, load {os.getloadavg()[0]:.1f}", flush=True)
    table = {case: figures(blocks, case) for case in blocks[0]["candle"]}
    print(f"{'operation':22}{'bytes':>7}  correlation with each library       sd of ratios, with the candle")
    for (operation, size), row in table.items():
        correlations = " ".join(f"{each:6.2f}" for each in row["correlations"])
        print(f"{operation:22}{size:7}  {correlations}      {row['sd']:.3f} {row['sd_with_candle']:.3f}")
    median = {key: np.median([row[key] for row in table.values()]) for key in ("sd", "sd_with_candle")}
    correlation = np.median([each for row in table.values() for each in row["correlations"]])
    print(
        json.dumps({"correlation": round(float(correlation), 3), **{k: round(float(v), 3) for k, v in median.items()}})
    )
