# SPDX-License-Identifier: BSD-3-Clause
"""A made-up run whose launches record everything that the engine can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from tests.postprocess.synthetic import Spec, whole, write_run

OPERATIONS = ["ping-pong", "burst-pairs", "ibcast", "basic-timer", "basic-barrier", "basic-bcast-1"]
SPEC = Spec(
    stacks=["mpich-5.0"], operations=OPERATIONS, sizes=[0, 65536], processes=[2, 4], processes_per_node=[2, 4],
    launches=3, runs=12, truth=lambda _operation, size, _point: 20.0 + size / 1000,
)  # fmt: skip
STEPS = ("before-init", "init", "comm-dup")
MIB = 2**20


def spread(of_process: float, processes: int) -> dict[str, int]:
    """All processes have the same."""
    one = int(of_process * MIB)
    return {"sum": one * processes, "min": one, "median": one, "max": one}


def memory(processes: int, per_node: int) -> dict[str, Any]:
    """10 MiB and 1/2 for each process and 2 for each on the node, but before MPI_Init; comm-dup adds 40 MiB."""
    steps = []
    for step in STEPS:
        own = 5.0 if step == "before-init" else 10 + processes / 2 + 2 * per_node + 40 * (step == "comm-dup")
        hosts = [
            {
                "host": f"node{i}",
                "processes": per_node,
                "pss_bytes": int(own * per_node * MIB),
                "dev_shm_bytes": 4 * MIB,
            }
            for i in range(max(1, processes // per_node))
        ]
        steps.append({"step": step, "processes": {"pss_bytes": spread(own, processes)}, "hosts": hosts})
    return {"record": "memory", "steps": steps}


def further(row: dict[str, Any], processes: int) -> dict[str, Any]:
    """What a row has beside its times: rank r starts r µs and ends 2r µs after the first."""
    runs, median = row["reps_made"], row["median_ns"]
    if row["operation"] == "ping-pong":
        row["bytes_moved"] = 2 * row["bytes"]
    if row["operation"] == "burst-pairs":
        row |= {"messages": 64 * processes // 2, "bytes_moved": 64 * processes // 2 * row["bytes"]}
    if row["operation"] == "ibcast":
        row["overlap"] = [
            {"compute_ns": median * i / 4, "total_ns": median * max(1, i / 4), "overlap": min(1.0, i / 4)}
            for i in range(9)
        ]
    if row["operation"] == "basic-bcast-1":
        row["costs"] = {"timer_ns": 30.0, "barrier_ns": 970.0, "cost_ns": median - 1000.0}
    return row | {
        "datatype": "byte", "root": 0, "epoch": 0, "operations_per_rep": 1, "counts": "balanced",
        "groups": "all", "group_count": 1, "active": row["processes"],
        "rank_mean": {"avg_ns": 0.5 * median, "min_ns": 0.25 * median, "max_ns": 0.75 * median},
        "from_last": {
            "time_ns": [time - 5000 for time in row["time_ns"]], "median_ns": median - 5000.0,
            **{name: row[name] for name in ("mean_ns", "se_ns", "ci_low_ns", "ci_high_ns", "confidence")},
            **{name: row[name] for name in ("median_low_ns", "median_high_ns", "min_ns", "max_ns")},
        },
        "cold": {"sets": 7, "ring_bytes": 1 << 20, "first_touch_ns": 5000, "first_use_ns": 90000.0},
        "invalid_by_rank": [{"rank": 1, "late_start": 2, "overrun": 0}],
        "stragglers": {
            "batches": 20,
            "ranks": [{"rank": 1, "host": "node0", "late_start": 15, "overrun": 0, "late_start_p": 1e-6,
                       "overrun_p": 1.0}],
            "hosts": [{"host": "node0", "late_start": 16, "overrun": 1, "late_start_p": 1e-7, "overrun_p": 1.0}],
        },
        "per_rank": {
            "start_ns": [[1000 * rank] * runs for rank in range(processes)],
            "end_ns": [[3000 * rank + 7000] * runs for rank in range(processes)],
            "operations_ns": [[1000 * rank + 500] * 3 for rank in range(processes)],
            "begin_ns": [100_000 * run for run in range(runs)],
            "slot_ns": [100_000] * runs,
            "into_slot_ns": [20] * runs,
        },
        "causality": {"violations": 0, "worst_ns": 0, "rank": None, "error_ns": 0},
        "clock_rank": 1, "clock_bound_ns": 220.0,
    }  # fmt: skip


def write_everything(folder: Path) -> RunInputs:
    """The run, with raw files only; its campaign asks for all of it."""
    run = write_run(folder / "run", SPEC)
    campaign = yaml.safe_load((run / "campaign.yaml").read_text())
    wanted = {"per_rank": True, "memory": True, "overlap": True, "arrival": "ascending", "arrival_spread_us": 5}
    campaign["engine"] = {**campaign.get("engine", {}), **wanted}
    (run / "campaign.yaml").write_text(yaml.safe_dump(campaign))
    for path in (run / "launches").glob("*.jsonl"):
        records: list[Any] = [json.loads(line) for line in path.read_text().splitlines()[:-1]]
        header, *others = records
        processes, per_node = header["processes"], int(header["launch"]["processes_per_node"])
        header |= {"arrival_ns": [5000 * rank // (processes - 1) for rank in range(processes)], "rank_order": None}
        header["options"]["arrival"] = "ascending"
        changed = [further(each, processes) if each["record"] == "measurement" else each for each in others]
        path.write_bytes(whole([header, memory(processes, per_node), *changed]))
    return load_inputs(run)
