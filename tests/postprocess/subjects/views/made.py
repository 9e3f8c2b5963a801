# SPDX-License-Identifier: BSD-3-Clause
"""A made-up run of three processes for all views: two timers, warm and cold buffers, two schemes, times of ranks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.schemas.engine.contract import TOPOLOGIES, TRANSFERS, WAIT_PATTERNS
from isochron.schemas.run.plan import Plan
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, whole, write_run

MESSAGES = ["ping-pong", "multi-ping-pong", "ping-ping", "sendrecv", "exchange", "alltoall", "bcast", "barrier"]
SCATTERED, BASIC = "reduce_scatter", ["basic-timer", "basic-barrier", "basic-signal", "basic-isend-10"]
VIEWS = ["msu", "pmb", "mpiperf", "mpiperf-local", "bxj"]
SPEC = Spec(
    stacks=["mpich-5.0"], operations=[*MESSAGES, SCATTERED, *TRANSFERS, *TOPOLOGIES, *WAIT_PATTERNS, *BASIC],
    sizes=[0, 1024, 2**22],
    processes=[3], processes_per_node=[3], launches=8, runs=12, probes=False,
    truth=lambda _operation, size, _point: 250.0 + size / 900, analysis={"views": VIEWS},
)  # fmt: skip
#: Blocks whose buffers are cold, and those of the contrast; every second one has another timer.
COLD, CONTRAST = range(5, 7), range(7, 9)


def further(row: dict[str, Any], block: int) -> dict[str, Any]:
    """A row as its block has it: rank r starts r µs after the first and takes r µs less; cold runs take three times."""
    runs, slots = row["reps_made"], block not in CONTRAST
    if block in COLD:
        times = ("mean", "se", "ci_low", "ci_high", "median", "median_low", "median_high", "min", "max")
        row |= {f"{name}_ns": 3 * row[f"{name}_ns"] for name in times}
        row |= {name: [3 * time for time in row[name]] for name in ("time_ns", "local_ns")}
        row["cold"] = {"sets": 7, "ring_bytes": 1 << 20, "first_touch_ns": 5000, "first_use_ns": 9e5}
    if row["operation"] == "bcast":
        row["operations_per_rep"] = 2  # times are of one of them, starts and ends of both
    if row["operation"] in BASIC:
        row["costs"] = {"timer_ns": 40.0, "barrier_ns": 3e3, "cost_ns": 1e3 * block + len(row["operation"])}
    return row | {
        "timer": "tsc" if block % 2 == 0 else "clock-gettime",
        "scheme": "window" if slots else "barrier",
        "rank_mean": {"avg_ns": 5e4 + block, "min_ns": 4e4 + block, "max_ns": 6e4 + block},
        "per_rank": {
            "start_ns": [[1000 * rank] * runs for rank in range(3)],
            "end_ns": [[50_000 + 10 * run for run in range(runs)] for _ in range(3)],
            "begin_ns": [200_000 * run for run in range(runs)],
            "slot_ns": [200_000 if slots else 0] * runs,
            "into_slot_ns": [30 if slots else 0] * runs,
        },
    }


def write_views(folder: Path, spec: Spec = SPEC) -> RunInputs:
    """The run, through its report."""
    run = write_run(folder / "run", spec)
    plan = Plan.load(run / "plan.json")
    for block in plan.blocks:
        if block.index in CONTRAST:
            block.launches[:] = [launch.model_copy(update={"contrast": "barrier"}) for launch in block.launches]
    plan.save(run / "plan.json")
    campaign = yaml.safe_load((run / "campaign.yaml").read_text())
    campaign |= {"contrasts": {"barrier": {"scheme": "barrier"}}, "engine": {**campaign["engine"], "per_rank": True}}
    (run / "campaign.yaml").write_text(yaml.safe_dump(campaign))
    for path in (run / "launches").glob("*.jsonl"):
        header, *others = (json.loads(line) for line in path.read_text().splitlines()[:-1])
        number = int(header["launch"]["block"])
        header["options"]["buffers"] = "cold" if number in COLD else "warm"
        changed = [further(each, number) if each["record"] == "measurement" else each for each in others]
        path.write_bytes(whole([header, *changed]))
    report(run, "mpiperf-", "bxj-")
    return load_inputs(run)
