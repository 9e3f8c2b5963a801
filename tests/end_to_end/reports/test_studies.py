# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of published studies, smaller: each to its report, with the tables that the page of studies shows.

Every view of theirs is recomputed from the raw files.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.postprocess.subjects.registry import TABLES
from isochron.schemas.run.layout import RunLayout
from isochron.spack_envs.simulated import programs
from scripts.write_studies import STUDIES, page
from tests.end_to_end.programs.test_stand_in import STAND_IN
from tests.postprocess.subjects.views.recomputed import check_view

REPLICATION = {"design": "random", "blocks": 2, "launches_per_block": 1}
TWO = {"processes": [2], "processes_per_node": [2]}
#: Of each campaign what is smaller here; of `npb` a stand-in prints the times, since it needs the sources of NASA.
SMALLER: dict[str, dict[str, Any]] = {
    "msu": {"stacks": ["openmpi-5.0"], "sizes": [0, 1024], "replication": REPLICATION},
    "msu-transfers": {"stacks": ["openmpi-5.0"], "sizes": [0, 1024, 65536], "replication": REPLICATION},
    "pmb": {
        "stacks": ["openmpi-5.0"], "sizes": [0, 1024], "replication": REPLICATION, "groups": ["size:2"], **TWO,
        "analysis": {
            "views": ["pmb"], "compare_with": [{"reference": "ekss-pmb-barrier", "stacks": {"openmpi-5.0": "ekss1"}}],
        },
    },
    "mpiperf": {
        "stacks": ["openmpi-5.0"], "sizes": [8192], "replication": REPLICATION, **TWO,
        "operations": ["barrier", "bcast", "wait-pattern-up", "wait-pattern-null"],
        "first_calls": {"operations": ["bcast"], "sizes": [8192], "launches": 1},
    },
    "bxj": {"processes": [16, 32]},
    "two-sites": {
        "stacks": ["smpi-openmpi"], "operations": ["ping-pong", "burst", "bcast", "reduce"], "sizes": [8, 16384],
        "sizes_by_operation": {},
    },
    "two-sites-streams": {"processes": [2, 4], "sizes": [8, 16384]},
    "clock-sync": {"processes": [16, 32]},
    "npb": {
        "stacks": ["openmpi-5.0"], "replication": REPLICATION,
        "programs": {"npb": {"source": str(STAND_IN), "kernels": ["EP"], "classes": ["S"]}},
    },
}  # fmt: skip
VIEWS = [table for table in TABLES if table.name.startswith("view-")]


@pytest.mark.campaign
@pytest.mark.slow
@pytest.mark.parametrize("name", SMALLER)
def test_a_study_fills_its_tables(name: str, tmp_path: Path) -> None:
    campaign = yaml.safe_load(shipped("workflows", "campaigns", f"{name}.yaml").read_text()) | SMALLER[name]
    if "machine" in campaign.get("site", {}) and programs() is None:
        pytest.skip("SimGrid (smpicc, smpirun) is not here")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(campaign))
    command = [sys.executable, "-m", "isochron", "run", "study.yaml", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunLayout((tmp_path / "results" / name / "latest").resolve())
    tables = {shown.table for shown in STUDIES[name].tables}
    assert {table for table in tables if pd.read_csv(run.tables / f"{table}.csv").empty} == set()
    assert all(f"`{table}.csv`, " in page([tmp_path / "results"], tmp_path / "images") for table in tables)
    for view in VIEWS:
        if (run.tables / view.file).is_file():
            check_view(run.root, view.name)


def test_every_study_has_a_smaller_campaign() -> None:
    assert set(SMALLER) == set(STUDIES)
