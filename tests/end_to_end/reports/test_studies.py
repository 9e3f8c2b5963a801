# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of published studies, smaller: each to its report, with the tables of its study filled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.schemas.run.layout import RunLayout
from isochron.spack_envs.simulated import programs

REPLICATION = {"design": "random", "blocks": 1, "launches_per_block": 1}
#: Of each campaign what is smaller here, and the tables that its study has.
STUDIES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "msu": (
        {"stacks": ["openmpi-5.0"], "sizes": [0, 1024], "replication": REPLICATION},
        {"view-msu-transfers", "view-msu-topologies", "basic-costs"},
    ),
    "pmb": (
        {"stacks": ["openmpi-5.0"], "sizes": [0, 1024], "replication": REPLICATION, "processes": [2],
            "processes_per_node": [2], "groups": ["halves"]},
        {"view-pmb", "contrasts"},
    ),
    "mpiperf": (
        {
            "stacks": ["openmpi-5.0"], "sizes": [8192], "replication": REPLICATION, "processes": [2],
            "processes_per_node": [2],
            "operations": ["bcast", "wait-pattern-up", "wait-pattern-null"],
            "first_calls": {"operations": ["bcast"], "sizes": [8192], "launches": 1},
        },
        {"systematic-errors", "late-initialisation", "view-mpiperf", "view-mpiperf-wait-patterns"},
    ),
    "bxj": (
        {"processes": [16, 32], "analysis": {"views": ["bxj"]}},
        {"scalability", "models", "view-bxj-3-sendrecv", "view-bxj-largest"},
    ),
    "two-sites": (
        {"stacks": ["smpi-openmpi"], "operations": ["ping-pong", "bcast", "reduce"], "sizes": [8, 16384]},
        {"view-two-sites-orders", "bounds"},
    ),
    "two-sites-streams": ({"processes": [2, 4], "sizes": [8, 16384]}, {"view-two-sites-pairs"}),
    "clock-sync": ({"processes": [16, 32]}, {"clock-synchronisation"}),
}  # fmt: skip


@pytest.mark.campaign
@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_fills_its_tables(name: str, tmp_path: Path) -> None:
    changes, tables = STUDIES[name]
    campaign = yaml.safe_load(shipped("workflows", "campaigns", f"{name}.yaml").read_text()) | changes
    if "machine" in campaign.get("site", {}) and programs() is None:
        pytest.skip("SimGrid (smpicc, smpirun) is not here")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(campaign))
    command = [sys.executable, "-m", "isochron", "run", "study.yaml", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    run = RunLayout((tmp_path / "results" / name / "latest").resolve())
    assert {table for table in tables if pd.read_csv(run.tables / f"{table}.csv").empty} == set()
