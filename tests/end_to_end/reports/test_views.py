# SPDX-License-Identifier: BSD-3-Clause
"""A campaign of three processes on this machine has all views, and each says what its raw files say."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.subjects.views.mpiperf_table import MPIPERF_DIAGRAM
from isochron.postprocess.subjects.views.section import VIEWS
from isochron.schemas.engine.contract import TOPOLOGIES, TRANSFERS, WAIT_PATTERNS
from tests.end_to_end.conftest import MINI, Place
from tests.postprocess.subjects.views.recomputed import check_view

pytestmark = [pytest.mark.campaign, pytest.mark.slow]

MESSAGES = ["ping-pong", "multi-ping-pong", "ping-ping", "sendrecv", "exchange"]
COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter"]
#: The view of cold buffers, which this campaign does not have.
EMPTY = {"view-mpiperf-buffers"}
BASIC = ["basic-timer", "basic-barrier", "basic-isend-10", "basic-signal"]


def test_all_views_of_three_processes(place: Place) -> None:
    """With a barrier, as three processes on two cores never start together; and a loop beside it."""
    place.write(
        operations=[*MESSAGES, *TRANSFERS, *TOPOLOGIES, *COLLECTIVES, *WAIT_PATTERNS, *BASIC],
        sizes=[0, 1024, 65536],
        processes=[3],
        processes_per_node=[3],
        allow_oversubscription=True,
        contrasts={"loop": {"scheme": "loop"}},
        replication={"blocks": 3, "launches_per_block": 2},
        engine={"scheme": "barrier", "per_rank": True, "max_reps": 60, "max_valid": 30, "min_valid": 5},
        limits={**MINI["limits"], "launch_seconds": 300},
        analysis={"views": list(VIEWS)},
    )
    done = place.isochron("run", "mini.yaml", timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    tables = [table for *_, tables in VIEWS.values() for table in tables]
    made = [table.name for table in tables if (place.run.tables / table.file).is_file()]
    assert {name for name in made if not check_view(place.run.root, name)} == EMPTY
    diagram = pd.read_csv(place.run.tables / MPIPERF_DIAGRAM.file)
    assert set(diagram["scheme"]) == {"barrier", "loop"}
    page = place.run.report.read_text()
    assert all(title in page for title, *_ in VIEWS.values())
