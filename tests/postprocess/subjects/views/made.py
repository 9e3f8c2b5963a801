# SPDX-License-Identifier: BSD-3-Clause
"""Made-up runs for all views.

One of three processes has two timers, warm and cold buffers, two schemes and times of ranks; one on the hosts of two
sites has a loop with a rotating root, and groups of processes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from isochron.postprocess.analysis.saved import write_csv
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.registry import TABLES
from isochron.schemas.engine.contract import TOPOLOGIES, TRANSFERS, WAIT_PATTERNS
from isochron.schemas.run.plan import Plan, Skipped
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, whole, write_run

VIEW_TABLES = [table for table in TABLES if table.name.startswith("view-")]
MESSAGES = ["ping-pong", "multi-ping-pong", "ping-ping", "sendrecv", "exchange", "alltoall", "bcast", "barrier"]
SCATTERED, BASIC = "reduce_scatter", ["basic-timer", "basic-barrier", "basic-signal", "basic-isend-10"]
VIEWS = ["msu", "pmb", "mpiperf", "mpiperf-local"]
SPEC = Spec(
    stacks=["mpich-5.0"], operations=[*MESSAGES, SCATTERED, *TRANSFERS, *TOPOLOGIES, *WAIT_PATTERNS, *BASIC],
    sizes=[0, 1024, 2**22],
    processes=[3], processes_per_node=[3], launches=8, runs=12, probes=False,
    truth=lambda _operation, size, _point: 250.0 + size / 900, analysis={"views": VIEWS},
)  # fmt: skip
#: Blocks whose buffers are cold, and those of the contrast; every second one has another timer.
COLD, CONTRAST = range(5, 7), range(7, 9)


def further(row: dict[str, Any], block: int) -> dict[str, Any]:
    """A record as its block has it; of a measurement rank r starts r µs after the first and takes r µs less.

    Cold runs take three times as long.
    """
    if row["record"] != "measurement":
        return row
    runs, slots = row["reps_made"], block not in CONTRAST
    if block in COLD:
        times = ("mean", "se", "ci_low", "ci_high", "median", "median_low", "median_high", "min", "max")
        row |= {f"{name}_ns": 3 * row[f"{name}_ns"] for name in times}
        row |= {name: [3 * time for time in row[name]] for name in ("time_ns", "local_ns")}
        row["cold"] = {"sets": 7, "ring_bytes": 1 << 20, "first_touch_ns": 5000, "first_use_ns": 9e5}
    if row["operation"] == "bcast":
        row["operations_per_rep"] = 2  # times are of one of them, starts and ends of both
    return row | {
        "timer": "tsc" if block % 2 == 0 else "clock-gettime",
        "scheme": "window" if slots else "barrier",
        "rank_mean": {
            "avg_ns": 5e4 + block,
            "min_ns": 4e4 + block,
            "max_ns": 6e4 + block,
            "zero_ns": 0.7 * row["mean_ns"] + 10 * block,
        },
        "per_rank": {
            "start_ns": [[1000 * rank] * runs for rank in range(3)],
            "end_ns": [[50_000 + 10 * run for run in range(runs)] for _ in range(3)],
            "begin_ns": [200_000 * run for run in range(runs)],
            "slot_ns": [200_000 if slots else 0] * runs,
            "into_slot_ns": [30 if slots else 0] * runs,
        },
    }


def with_costs(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with the costs of basic operations, by the means of timer and barrier on process 0."""
    means = {row["operation"]: row["rank_mean"]["zero_ns"] for row in records if row.get("operation") in BASIC}
    timer = means["basic-timer"]
    for row in records:
        if (name := row.get("operation")) in BASIC:
            known = {"basic-timer": 0.0, "basic-barrier": timer}.get(str(name), means["basic-barrier"])
            barrier = means["basic-barrier"] - timer
            row["costs"] = {"timer_ns": timer, "barrier_ns": barrier, "cost_ns": means[name] - known}
    return records


def write_views(folder: Path, spec: Spec = SPEC) -> RunInputs:
    """The run of three processes, through its report."""
    run = write_run(folder / "run", spec)
    plan = Plan.load(run / "plan.json")
    for block in plan.blocks:
        if block.index in CONTRAST:
            block.launches[:] = [launch.model_copy(update={"contrast": "barrier"}) for launch in block.launches]
    plan.save(run / "plan.json")
    change_campaign(run, contrasts={"barrier": {"scheme": "barrier"}})
    for path, header, rows in raw_files(run):
        number = int(header["launch"]["block"])
        header["options"]["buffers"] = "cold" if number in COLD else "warm"
        write_again(path, header, with_costs([further(row, number) for row in rows]))
    report(run, "mpiperf-")
    return load_inputs(run)


#: Sites with hosts a… and b…; rank 1 is at the other site, or rank 2.
SITES = Spec(
    stacks=["mpich-5.0"], processes=[2, 4], processes_per_node=[1], sizes=[0, 16, 16384], launches=3, runs=4,
    operations=["ping-pong", "burst", "multi-ping-ping", "sendrecv", "barrier", "bcast", "reduce", "allgather",
                "alltoall", "reduce_scatter", "scan", "exscan", "gatherv"],
    node_lists={"alternating": ["a0", "b0", "a1", "b1"], "half": ["a0", "a1", "b0", "b1"]}, probes=False,
    contrasts={
        "loop": ({"scheme": "rotating-root"}, 0.2),
        **{name.replace(":", "-"): ({"groups": name}, 0.8) for name in ("halves", "active:2")},
    },
    spoiler=lambda _stack, operation, *_: {
        "gatherv": ("failed-check", "wrong byte 7"), "exscan": ("too-few-valid", "7 valid runs of 400"),
    }.get(operation),
    analysis={"views": ["pmb", "bxj", "two-sites"], "model": {"overhead_us": 0.4}},
)  # fmt: skip
SITE = {"locations": {"here": ["a*"], "there": ["b*"]}, "distance_ms": 0.001, "trunk_mb_per_s": 900.0}


def of_contrast(row: dict[str, Any], contrast: str, block: int) -> dict[str, Any]:
    """A record as its contrast has it: operations of a loop on each rank, or groups of processes."""
    if row["record"] != "measurement":
        return row
    processes, time = int(row["processes"]), row["mean_ns"]
    row["rank_mean"] = {"avg_ns": 0.6 * time + block, "min_ns": 0.5 * time, "max_ns": 0.9 * time}
    if contrast == "loop":
        times = [[round(time * (0.3 + rank + position)) for position in range(5)] for rank in range(processes)]
        row |= {"scheme": "rotating-root", "per_rank": {"start_ns": [], "end_ns": [], "operations_ns": times}}
    groups, count, active = {
        "halves": ("halves", 2, processes), "active-2": ("active:2", 1, 2),
    }.get(contrast, ("all", 1, processes))  # fmt: skip
    return row | {"groups": groups, "group_count": count, "active": active}


def write_sites(folder: Path) -> RunInputs:
    """The run at two sites, with its views in `tables/`. One case was skipped."""
    run = write_run(folder / "run", SITES)
    plan = Plan.load(run / "plan.json")
    contrasts = {launch.name: launch.contrast for launch in plan.launches}
    plan.skipped.append(
        Skipped(stack="mpich-5.0", point=plan.points[0], reason="too long", operation="gather", bytes=16384)
    )
    plan.save(run / "plan.json")
    change_campaign(run, site=SITE)
    for path, header, rows in raw_files(run):
        write_again(
            path, header, [of_contrast(row, contrasts[path.stem], int(header["launch"]["block"])) for row in rows]
        )
    report(run, steps=("ingest",))
    context = TableContext(load_inputs(run))
    for table in VIEW_TABLES:
        for file, frame in table.parts(table.make(context), context.inputs.campaign):
            write_csv(context.inputs.layout.tables / file, frame)
    return context.inputs


def change_campaign(run: Path, **sections: dict[str, Any]) -> None:
    """Change parts of sections of the run's campaign, which then has times of ranks."""
    campaign = yaml.safe_load((run / "campaign.yaml").read_text())
    for name, changes in ({"engine": {"per_rank": True}} | sections).items():
        campaign[name] = {**campaign[name], **changes}
    (run / "campaign.yaml").write_text(yaml.safe_dump(campaign))


def raw_files(run: Path) -> Iterator[tuple[Path, dict[str, Any], list[dict[str, Any]]]]:
    """Path, header and all other records but the footer of each raw file."""
    for path in (run / "launches").glob("*.jsonl"):
        header, *others = (json.loads(line) for line in path.read_text().splitlines()[:-1])
        yield path, header, others


def write_again(path: Path, header: dict[str, Any], records: list[dict[str, Any]]) -> None:
    """Write a raw file with its checksum."""
    path.write_bytes(whole([header, *records]))
