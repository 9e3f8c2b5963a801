# SPDX-License-Identifier: BSD-3-Clause
"""Estimates from earlier launches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.workflows.planning.earlier import earlier_spreads
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
