# SPDX-License-Identifier: BSD-3-Clause
"""More processes than cores, in turns: both versions of Open MPI yield while they wait."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.plan import Plan
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.mpi, pytest.mark.slow]


def test_eight_processes_on_two_cores_take_turns(place: Place) -> None:
    place.write(
        stacks=["openmpi-4.1", "openmpi-5.0"], operations=["barrier", "allreduce"], sizes=[8], processes=[8],
        processes_per_node=[8], site={"cores_per_node": 2}, allow_oversubscription=True, replication={"blocks": 1},
        engine={"stop": "reps", "min_valid": 1, "max_valid": 24, "max_reps": 48},
    )  # fmt: skip
    done = place.stored()
    assert done.returncode == 0, done.stdout + done.stderr
    assert_every_launch_is_stored_once(place.run)
    launches = Plan.load(place.run.plan).launches
    assert len({launch.session for launch in launches}) == 1
    for launch in launches:
        raw = read_launch(place.run.launch(launch.name))
        assert raw.header.processes == 8 and raw.header.launch["oversubscribed"] == "true"
        assert raw.turns is not None and raw.turns.lost == []
    assert pd.read_parquet(place.run.table("launches"))["oversubscribed"].all(), "of which the report warns"
