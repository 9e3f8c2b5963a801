# SPDX-License-Identifier: BSD-3-Clause
"""A campaign whose processes have two threads, and in which MPI_THREAD_MULTIPLE has a price, to the report."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.schemas.run.binding import parse_numbers
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.plan import Plan
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.mpi, pytest.mark.campaign, pytest.mark.slow]

OPERATIONS = ["allreduce", "threads-comms-allreduce"]


def test_two_threads_have_two_cores_and_the_level_has_a_price(place: Place) -> None:
    """On two cores: one process with two threads, and two processes where the library yields while it waits."""
    place.write(
        operations=OPERATIONS, sizes=[8], processes=[1, 2], processes_per_node=[1, 2], site={"cores_per_node": 2},
        allow_oversubscription=True, contrasts={"single": {"threads": 0}},
        engine={"threads": 2, "stop": "reps", "min_valid": 1, "max_valid": 24, "max_reps": 48, "check": True},
    )  # fmt: skip
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert_every_launch_is_stored_once(place.run)
    plan = Plan.load(place.run.plan)
    reasons = {item.reason for item in plan.skipped if item.stack == "mpich-5.0" and item.point.processes == 2}
    assert any(text.startswith("2 processes of 2 threads (engine.threads) on a node with 2 cores") for text in reasons)
    shapes = set()
    for planned in plan.launches:
        header = read_launch(place.run.launch(planned.name)).header
        threads, crowded = header.options["threads"], header.launch["oversubscribed"] == "true"
        shapes.add((planned.stack, planned.point.processes, threads, crowded))
        cores = [len(parse_numbers(entry["cpus"])) for entry in header.bindings]
        assert crowded or cores == [max(1, threads)] * len(cores), planned.name
        assert header.thread_level == ("multiple" if threads else header.thread_level)
        assert header.threads_pinned == (None if not threads else not crowded), planned.name
    assert shapes == {
        (stack, processes, threads, threads * processes > 2)
        for stack, processes in (("openmpi-5.0", 1), ("openmpi-5.0", 2), ("mpich-5.0", 1))
        for threads in (0, 2)
    }
    steps = pd.read_csv(place.run.tables / "startup.csv").groupby("step")["median_ms"]
    assert {"launcher", "loading", "init"} <= set(steps.groups) and (steps.max() > 0).all()
    price = pd.read_csv(place.run.tables / "contrasts.csv")
    assert {*price["stack"]} == {"openmpi-5.0", "mpich-5.0"} and {*price["operation"]} == {"allreduce"}
    assert "MPI_THREAD_MULTIPLE, which contrast single is about, changes" in place.run.report.read_text()
