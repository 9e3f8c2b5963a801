# SPDX-License-Identifier: BSD-3-Clause
"""Estimates from earlier launches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from isochron.schemas.engine.options import EngineOptions
from isochron.workflows.planning.earlier import LAUNCHER_S, earlier_durations, earlier_spreads
from isochron.workflows.planning.estimate import count_reps, within_volume
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign


def test_the_spread_is_that_within_blocks_and_a_few_bad_launches_change_little(tmp_path: Path) -> None:
    """Launches spread by 4 %, blocks by 30 %, and one launch in twenty took twice as long."""
    made = campaign(replication={"blocks": 40, "launches_per_block": 2})
    assert earlier_spreads(tmp_path, made.name, []).launches is None
    plan = make_plan(made)
    run = create_run(tmp_path, made, plan)
    rng, blocks = np.random.default_rng(1), {}
    launches, rows = [], []
    for place, launch in enumerate(plan.launches):
        point = launch.point.model_dump()
        launches.append(
            {"launch_id": launch.name, "stack": launch.stack, **point, "block": launch.block, "attempt": 1,
             "file": launch.file}
        )  # fmt: skip
        level = blocks.setdefault(launch.block, rng.normal(0, 0.3)) + np.log(2) * (place % 20 == 0)
        rows += [
            {
                "launch_id": launch.name,
                "operation": operation,
                "bytes": 8,
                "median_us": np.exp(level + rng.normal(0, 0.04)),
            }
            for operation in ("barrier", "bcast")
        ]
    for name, table in (("launches", launches), ("measurements", rows)):
        run.table(name).parent.mkdir(exist_ok=True)
        pd.DataFrame(table).to_parquet(run.table(name))
    assert earlier_spreads(tmp_path, made.name, []).launches == pytest.approx(0.04, rel=0.3)


def test_a_run_in_turns_shows_the_spread_of_ratios_and_the_share_of_each_launch(tmp_path: Path) -> None:
    """Intervals of ratios of 40 blocks whose SD is 3 %; two launches share the seconds of a session."""
    made = campaign(replication={"blocks": 40, "launches_per_block": 1, "design": "turns"}, processes=[2])
    plan = make_plan(made)
    run = create_run(tmp_path, made, plan)
    launches = [
        {"launch_id": launch.name, "stack": launch.stack, **launch.point.model_dump(), "block": launch.block,
         "attempt": 1, "file": launch.file, "duration_s": 6.0}
        for launch in plan.launches
    ]  # fmt: skip
    cells = [{"launch_id": each["launch_id"], "operation": "bcast", "bytes": 8, "median_us": 1.0} for each in launches]
    for name, lines in {"launches": launches, "measurements": cells}.items():
        run.table(name).parent.mkdir(exist_ok=True)
        pd.DataFrame(lines).to_parquet(run.table(name))
    assert earlier_spreads(tmp_path, made.name, []).ratios is None, "it was not analysed"
    rng, pair = np.random.default_rng(3), ("openmpi-5.0", "mpich-5.0")
    intervals = [stats.t.interval(0.95, 39, np.mean(x), stats.sem(x)) for x in rng.normal(0.2, 0.03, (21, 40))]
    rows = pd.DataFrame(np.exp(intervals), columns=["ratio_low", "ratio_high"])
    rows = rows.assign(baseline=pair[0], candidate=pair[1], in_turns=True, blocks=40, confidence=0.95)
    other = rows.assign(candidate="other", ratio_high=9.0)
    run.tables.mkdir(exist_ok=True)
    pd.concat([rows, other, rows.assign(in_turns=False, ratio_high=9.0)]).to_csv(run.tables / "comparison.csv")
    spreads = earlier_spreads(tmp_path, made.name, [pair, ("openmpi-5.0", "not-measured")])
    assert spreads.ratios == pytest.approx(0.03, rel=0.1)
    assert spreads.launches is None, "a block has one launch of each stack"
    assert earlier_spreads(tmp_path, made.name, []).ratios is None
    assert set(earlier_durations(tmp_path, made.name).values()) == {6.0 / 2 + LAUNCHER_S}


@pytest.mark.parametrize(
    ("max_valid", "max_reps", "max_invalid", "reps"),
    [
        (100, 1000, 0.25, 134),
        (100, 1000, 0.0, 100),
        (100, 120, 0.25, 120),
        (100, 1000, 1.0, 1000),
        (200, 100, 0.5, 100),
    ],
)
def test_repetitions_are_estimated_by_the_valid_ones_that_are_needed(
    max_valid: int, max_reps: int, max_invalid: float, reps: int
) -> None:
    """Not by their largest permitted number, which a measurement reaches only if most of them are invalid."""
    engine = EngineOptions(max_valid=max_valid, max_reps=max_reps, max_invalid=max_invalid)
    assert count_reps(engine) == reps


@pytest.mark.parametrize(
    ("operation", "size", "operations_per_rep", "reps"),
    [
        ("barrier", 0, 1, 1000), ("bcast", 16, 1, 1000), ("bcast", 2**20, 1, 40), ("bcast", 2**20, 8, 5),
        ("bcast", 2**26, 1, 1), ("reduce_scatter", 2**20, 1, 10), ("reduce_scatter_block", 2**20, 1, 10),
        ("burst", 2**18, 1, 2), ("burst@vector-8", 2**18, 1, 2), ("bcast@vector-8", 2**20, 1, 40),
    ],
)  # fmt: skip
def test_a_volume_limits_the_repetitions(operation: str, size: int, operations_per_rep: int, reps: int) -> None:
    """40 MiB as in PMB, with four processes."""
    limits = {"max_valid": 1000, "max_reps": 1000, "operations_per_rep": operations_per_rep}
    engine = EngineOptions(**limits, max_volume=40 * 2**20)
    assert count_reps(within_volume(engine, operation, size, 4)) == reps
    assert within_volume(EngineOptions(**limits), operation, size, 4) == EngineOptions(**limits)
