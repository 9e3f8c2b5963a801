# SPDX-License-Identifier: BSD-3-Clause
"""Operations of threads in a campaign: they need `engine.threads`, which a contrast of the others may lack."""

from __future__ import annotations

import pandas as pd
import pytest
from pydantic import ValidationError

from isochron.postprocess.estimate.values.launches import active
from isochron.schemas.engine.contract import HALVED, THREADS
from isochron.schemas.engine.options import EngineOptions
from isochron.workflows.planning.estimate import operation_us, within_volume
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign

OPERATIONS = ["ping-pong", "threads-ping-pong", "threads-comms-ping-pong"]


def test_operations_of_threads_need_a_number_of_threads() -> None:
    with pytest.raises(ValidationError, match=r"engine\.threads: threads-ping-pong needs threads; write for example 2"):
        campaign(operations=OPERATIONS)
    site = {"nodes": 2, "cores_per_node": 4}
    made = campaign(operations=OPERATIONS, engine={"threads": 2}, contrasts={"init": {"threads": 0}}, site=site)
    assert made.operations_of("init") == ["ping-pong"]
    parts = {launch.contrast: launch.cases(made.operations, made.sizes) for launch in make_plan(made).launches}
    assert {name for name, _ in parts["init"]} == {"ping-pong"} and {name for name, _ in parts[""]} == set(OPERATIONS)


def test_other_operations_may_have_the_level_alone() -> None:
    made = campaign(operations=["ping-pong"], contrasts={"level": {"threads": 1}})
    assert made.operations_of("level") == ["ping-pong"]
    assert made.engine_of("level").threads == 1 and "threads" not in made.measuring["engine"]


def test_too_long_messages_of_all_threads_are_refused() -> None:
    with pytest.raises(ValidationError, match=r"too many for threads-ping-pong with engine\.threads 4; take at most"):
        campaign(operations=["threads-ping-pong"], sizes=[2**30], engine={"threads": 4})


def test_the_estimate_is_that_of_one_thread_after_the_other() -> None:
    for name in ("bcast", "burst-pairs", "ping-pong@vector-8"):
        one = operation_us(name, 1024, 8, 64)
        assert operation_us(f"threads-comms-{name}", 1024, 8, 64, 3) == pytest.approx(3 * one)
    engine = EngineOptions(threads=3, max_volume=30_000)
    assert within_volume(engine, "threads-ping-pong", 1000, 2).max_reps == 10
    assert within_volume(engine, "ping-pong", 1000, 2).max_reps == 30


def test_a_round_trip_of_threads_is_halved_and_of_two_processes() -> None:
    assert {name for name in THREADS if name in HALVED} == {"threads-ping-pong", "threads-comms-ping-pong"}
    rows = pd.DataFrame({"operation": ["threads-comms-ping-pong", "threads-sendrecv", "threads-comms-bcast"]})
    assert active(rows.assign(processes=8), 0).tolist() == [2, 8, 8]
