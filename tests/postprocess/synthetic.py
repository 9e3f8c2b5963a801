# SPDX-License-Identifier: BSD-3-Clause
"""Run folders as a campaign would leave them, from known distributions. `python -m tests.postprocess.synthetic DIR`."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import yaml

from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Environment, Launcher, Manifest
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point, Skipped
from isochron.schemas.run.state import RunState
from tests.postprocess.synthetic_probes import probes, probes_at_start
from tests.reframe_checks.fakes import overhead

#: Library, version, and the factors of its latency and of its time per byte.
STACKS = {
    "openmpi-5.0": ("Open MPI", "5.0.11", 1.00, 0.70),
    "openmpi-4.1": ("Open MPI", "4.1.8", 1.02, 0.71),
    "mpich-5.0": ("MPICH", "5.0.2", 1.30, 1.10),
    "mpich-4.3": ("MPICH", "4.3.2", 1.45, 1.15),
    "intel-mpi-2021": ("Intel MPI", "2021.18", 0.80, 1.00),
}
BASE_US = {"barrier": 2.0, "bcast": 3.0, "allreduce": 6.0, "alltoall": 8.0, "reduce": 4.0, "gather": 5.0}

#: (stack, operation, bytes, processes) → (verdict, reason) for the row of every launch or None.
InvalidatingRank = Callable[[str, str, int, int, int], tuple[str, str] | None]


def demo_spoiler(stack: str, operation: str, size: int, processes: int, launch: int) -> tuple[str, str] | None:
    """Rows that are not reliable, for the whole of a campaign and for single launches."""
    if stack == "mpich-4.3" and operation == "alltoall" and processes == 8:
        return "unstable", "relative error 0.31 after 400 runs"
    if stack == "openmpi-4.1" and operation == "barrier":
        return "clock-limited", "clock error 1.9 µs against 2.1 µs"
    if stack == "mpich-5.0" and size == 65536 and launch in (2, 5):
        return "too-few-valid", "7 valid runs of 400"
    return None


@dataclass
class Spec:
    """What to make up."""

    stacks: list[str] = field(default_factory=lambda: list(STACKS))
    operations: list[str] = field(default_factory=lambda: list(BASE_US))
    sizes: list[int] = field(default_factory=lambda: [8, 512, 8192, 65536])
    processes: list[int] = field(default_factory=lambda: [4, 8])
    processes_per_node: list[int] = field(default_factory=lambda: [4])
    #: Lists of nodes by placement; none: packed.
    node_lists: dict[str, list[str]] = field(default_factory=dict)
    launches: int = 10
    runs: int = 24
    speed: dict[str, float] = field(default_factory=dict)
    launch_spread: float = 0.03
    run_spread: float = 0.06
    spoiler: InvalidatingRank = lambda *_: None
    missing: frozenset[str] = frozenset()
    outliers: frozenset[str] = frozenset()
    simulated: bool = False
    probes: bool = True
    seed: int = 7
    #: (operation, bytes, point) → µs in place of `true_us`, and the campaign's options of the analysis.
    truth: Callable[[str, int, Point], float] | None = None
    analysis: dict[str, object] = field(default_factory=dict)
    #: Options of each contrast, and the factor of its times.
    contrasts: dict[str, tuple[dict[str, object], float]] = field(default_factory=dict)
    #: What a stack takes in one case, as a factor; and what the campaign asks.
    planted: dict[tuple[str, str, int], float] = field(default_factory=dict)
    question: dict[str, object] = field(default_factory=dict)
    #: Of a stack the share of repetitions that are delayed, and how many times as long these take.
    delayed: dict[str, tuple[float, float]] = field(default_factory=dict)
    name: str = "synthetic"

    @property
    def has_probes(self) -> bool:
        """Whether it is read: a simulated machine has none."""
        return self.probes and not self.simulated


DEMO = Spec(
    spoiler=demo_spoiler,
    missing=frozenset({"b003.mpich-5.0.p8.n4.packed.1"}),
    outliers=frozenset({"b004.openmpi-5.0.p4.n4.packed.1"}),
)


def campaign_of(spec: Spec) -> Campaign:
    """The campaign that the spec stands for."""
    return Campaign.model_validate(
        {
            "schema": 1,
            "name": spec.name,
            "title": "Five MPI stacks on one machine",
            "description": "Made-up numbers that behave as measured ones do.",
            "stacks": spec.stacks,
            "operations": spec.operations,
            "sizes": spec.sizes,
            "processes": spec.processes,
            "processes_per_node": spec.processes_per_node,
            "placements": list(spec.node_lists) or ["packed"],
            "node_lists": spec.node_lists,
            "site": {"nodes": max(1, *map(len, spec.node_lists.values()))} if spec.node_lists else {},
            "replication": {"blocks": spec.launches, "launches_per_block": 1},
            "analysis": spec.analysis,
            "contrasts": {name: options for name, (options, _) in spec.contrasts.items()},
            "question": spec.question,
        }
    )


def plan_of(spec: Spec) -> Plan:
    """A block for each repetition, every stack once on each point in it, in random order."""
    rng = np.random.default_rng(spec.seed)
    points = [
        Point(processes=p, processes_per_node=n, placement=placement)
        for placement in spec.node_lists or ["packed"]
        for p in spec.processes
        for n in spec.processes_per_node
        if n <= p
    ]
    blocks = []
    for index in range(1, spec.launches + 1):
        launches = [
            PlannedLaunch(
                name=f"b{index:03d}.{stack}.{point.label}.{number}", stack=stack, point=point,
                block=index, launch=number, seconds=8.0, contrast=contrast,
                hosts=spec.node_lists.get(point.placement, [])[: point.nodes],
            )
            for number, contrast in enumerate(["", *spec.contrasts], start=1) for stack in spec.stacks
            for point in points
        ]  # fmt: skip
        own = launches[: len(launches) // (1 + len(spec.contrasts))]
        rng.shuffle(own)  # type: ignore[arg-type]
        launches[: len(own)] = own
        nodes = max(point.nodes for point in points)
        blocks.append(Block(name=f"b{index:03d}", index=index, nodes=nodes, launches=launches))
    large = Point(processes=16, processes_per_node=16, placement="packed")
    skipped = [
        Skipped(
            stack=stack, point=large, reason="16 processes on a node of 8 cores; its processes spin while they wait"
        )
        for stack in spec.stacks
        if stack.startswith("intel")
    ]
    return Plan(campaign=spec.name, digest="5a17e7", cores_per_node=8, points=points, blocks=blocks, skipped=skipped)


def write_run(folder: Path, spec: Spec | None = None) -> Path:
    """Write a whole run folder and return it."""
    spec = spec or Spec()
    layout = RunLayout(folder)
    plan = plan_of(spec)
    plan.save(layout.plan)
    campaign = campaign_of(spec)
    layout.campaign.write_text(yaml.safe_dump(campaign.model_dump(mode="json", by_alias=True)))
    for stack in spec.stacks:
        manifest(stack).save(layout.manifest(stack))
    layout.launches.mkdir()
    measured = 0
    for number, launch in enumerate(sorted(plan.launches, key=lambda launch: launch.contrast)):
        if launch.name not in spec.missing:
            write_launch(layout, launch, spec, number)
            measured += 1
    RunState(
        campaign=spec.name, title=campaign.title, description=campaign.description, run_id=layout.run_id,
        state="running", digest=plan.digest, isochron_version="0.1.0", created_at="2026-05-04T08:00:00Z",
        updated_at="2026-05-04T09:30:00Z", system="lab:compute", planned_launches=len(plan.launches),
        measured_launches=measured, failed_blocks=[], reason="",
    ).save(layout.state)  # fmt: skip
    return folder


def manifest(stack: str) -> Manifest:
    """A stack of the wheels route."""
    library, version, *_ = STACKS[stack]
    return Manifest(
        stack=stack, mpi_library=library, mpi_version=version,
        mpi_library_version=f"{library} v{version}, package: {library} build, ident: {version}, 2026",
        stack_source="wheels", cc=f"/opt/{stack}/bin/mpicc", compiler="gcc 14.2.0",
        launcher=Launcher(argv=["mpiexec", "-n", "{processes}"]), environment=Environment(),
        engine=f"/opt/{stack}/isochron-engine", engine_version="0.1.0",
        engine_sha256=sha256(stack.encode()).hexdigest(),
        linked_libraries=[f"/opt/{stack}/lib/libmpi.so.40"], provenance={"wheel": f"{library.lower()}=={version}"},
        built_at="2026-05-04T07:55:00Z",
    )  # fmt: skip


def write_launch(layout: RunLayout, launch: PlannedLaunch, spec: Spec, number: int = 0) -> Path:
    """One raw file, whole."""
    rng = np.random.default_rng([spec.seed, number])
    records = [header(layout, launch, spec, number), clock(launch, "before", rng), clock(launch, "after", rng)]
    bad = 40.0 if launch.name in spec.outliers else 1.0
    latency, per_byte = STACKS[launch.stack][2:]
    if launch.stack in spec.speed:
        latency = per_byte = spec.speed[launch.stack]
    bad *= spec.contrasts[launch.contrast][1] if launch.contrast else 1.0
    speed = (latency * bad, per_byte * bad)
    for index, case in enumerate(cases(spec.operations, spec.sizes)):
        row = measurement(launch, case, spec, speed, rng)
        records.append({**row, "probes": probes(launch, index, spec.runs)} if spec.has_probes else row)
    path = layout.launch(launch.name)
    path.write_bytes(whole([*records, overhead(45.0, 35.0)]))
    return path


def whole(records: list[dict[str, object]]) -> bytes:
    """Records as the engine writes them: JSON Lines with the footer's count and checksum."""
    body = "".join(json.dumps(record) + "\n" for record in records).encode()
    counted = {"records": len(records), "crc32": f"{zlib.crc32(body):08x}"}
    footer = {"record": "footer", **counted, "elapsed_ns": 7_400_000_000}
    return body + json.dumps(footer).encode() + b"\n"


def header(layout: RunLayout, launch: PlannedLaunch, spec: Spec, number: int) -> dict[str, object]:
    """The header of a launch."""
    library, version, *_ = STACKS[launch.stack]
    started = datetime(2026, 5, 4, 8, 0, tzinfo=UTC) + timedelta(seconds=9 * number)
    point, per_node = launch.point, launch.point.processes_per_node
    labels = {
        "name": launch.name, "run_id": layout.run_id, "campaign": spec.name, "system": "lab",
        "partition": "compute", "stack": launch.stack, "mpi_library": library, "mpi_version": version,
        "engine_sha256": manifest(launch.stack).engine_sha256,
        "processes_per_node": str(point.processes_per_node), "nodes": str(point.nodes),
        "placement": point.placement, "block": str(launch.block), "launch": str(launch.launch),
        "attempt": "1", "oversubscribed": "false",
    }  # fmt: skip
    return {
        "record": "header", "schema": 1, "engine_version": "0.1.0",
        "started_at": started.isoformat().replace("+00:00", "Z"), "command": ["isochron-engine"],
        "options": {"scheme": "window"}, "launch": labels,
        "mpi_library_version": f"{library} v{version}", "mpi_standard": "4.1", "compiler": "gcc 14.2.0",
        "processes": point.processes,
        "hosts": [
            {"name": f"node{i}", "ranks": f"{i * point.processes_per_node}-", "clock_source": "tsc"}
            for i in range(point.nodes)
        ],
        "bindings": [
            {"host": f"node{rank // per_node}", "cpus": str(rank % per_node), "ranks": str(rank)}
            for rank in range(point.processes)
        ],
        "timer": {"name": "clock-gettime", "resolution_ns": 1.0, "cost_ns": 39.0, "monotonic": True},
        "simulated": spec.simulated, **(probes_at_start(launch) if spec.has_probes else {}),
    }  # fmt: skip


def clock(launch: PlannedLaunch, phase: str, rng: np.random.Generator) -> dict[str, object]:
    """Offsets of all ranks."""
    ranks = launch.point.processes
    error = np.abs(rng.normal(0, 80 if phase == "before" else 300, ranks)).round(1).tolist()
    return {
        "record": "clock", "phase": phase, "method": "ring", "estimator": "envelope", "duration_ns": 12_000_000,
        "ranks": list(range(ranks)), "offset_ns": [0.0] * ranks, "bound_ns": [150.0] * ranks, "error_ns": error,
    }  # fmt: skip


def true_us(operation: str, size: int, processes: int, speed: tuple[float, float]) -> float:
    """The made-up truth: latency growing with log p, and a bandwidth term."""
    return float(BASE_US.get(operation, 5.0) * (speed[0] * np.log2(processes) + speed[1] * size / 2500))


def measurement(
    launch: PlannedLaunch, case: tuple[str, int], spec: Spec, speed: tuple[float, float], rng: np.random.Generator
) -> dict[str, object]:
    """One row: log-normal launches, log-normal runs in them, one run in twelve invalid."""
    processes = launch.point.processes
    operation, size = case
    true = spec.truth(*case, launch.point) if spec.truth else true_us(operation, size, processes, speed)
    true *= spec.planted.get((launch.stack, *case), 1.0)
    centre = 1e3 * true * np.exp(rng.normal(0, spec.launch_spread))
    times = np.rint(centre * np.exp(rng.normal(0, spec.run_spread, spec.runs))).astype(int)
    if launch.stack in spec.delayed:
        share, factor = spec.delayed[launch.stack]
        times = np.where(rng.random(spec.runs) < share, np.rint(factor * times), times).astype(int)
    valid = rng.random(spec.runs) > 1 / 12
    valid[:3] = True
    kept = np.sort(times[valid])
    middle = kept[len(kept) // 4 : len(kept) - len(kept) // 4]
    spoilt = spec.spoiler(launch.stack, operation, size, processes, launch.block)
    verdict, reason = spoilt or ("ok", "")
    first = int(centre * (3000 if "openmpi" in launch.stack and operation == "reduce" else 12))
    return {
        "record": "measurement", "operation": operation, "bytes": size, "processes": processes, "scheme": "window",
        "clock_sync": "ring", "timer": "clock-gettime", "reps_made": spec.runs, "reps_valid": int(valid.sum()),
        "reps_used": len(middle), "invalid": {"late_start": int((~valid).sum()), "overrun": 0},
        "invalid_by_rank": [], "slot_ns": int(3 * centre), "first_call_ns": first, "second_call_ns": int(centre * 1.1),
        "time_ns": times.tolist(), "local_ns": (times - 20).tolist(), "valid": valid.tolist(), "start_skew_ns": 60.0,
        "mean_ns": float(middle.mean()), "se_ns": float(kept.std() / np.sqrt(len(kept))),
        "ci_low_ns": float(middle.mean() * 0.98), "ci_high_ns": float(middle.mean() * 1.02), "confidence": 0.95,
        "median_ns": float(np.median(kept)), "median_low_ns": float(kept[len(kept) // 4]),
        "median_high_ns": float(kept[3 * len(kept) // 4]), "min_ns": float(kept[0]), "max_ns": float(kept[-1]),
        "clock_error_ns": 310.0, "verdict": verdict, "reason": reason,
    }  # fmt: skip


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True)
    print(write_run(Path(sys.argv[1]), DEMO))
