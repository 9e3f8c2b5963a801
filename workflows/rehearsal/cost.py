# SPDX-License-Identifier: BSD-3-Clause
"""What the real campaign will cost, from the times that its rehearsal had on the simulated machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isochron.schemas.engine.operations import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan, Point
from isochron.workflows.planning.estimate import (
    START_PER_PROCESS_S,
    START_S,
    SYNC_PER_PROCESS_S,
    Durations,
    launch_seconds,
)
from isochron.workflows.rehearsal.campaign import FOR_ALL, stand_in

#: Seconds of the rehearsal's launches, and the length of a slot of every case in µs, by simulated stack and point.
Slots = Mapping[tuple[str, int], float]


@dataclass(frozen=True)
class PointCost:
    """All launches of one real stack at one point."""

    stack: str
    point: Point
    launches: int
    launch_seconds: float
    #: Cases that were not simulated, and whose time is therefore a coarse estimate.
    estimated_cases: int

    @property
    def node_hours(self) -> float:
        """Cost of all of them."""
        return self.launches * self.launch_seconds * self.point.nodes / 3600


def real_cost(campaign: Campaign, plan: Plan, run: RunLayout) -> list[PointCost]:
    """Cost of every stack and point of the real campaign; `plan`, `run`: those of the rehearsal."""
    seconds, slots = _rehearsed(run)
    launches = campaign.replication.blocks * campaign.replication.launches_per_block
    found = []
    for point in plan.points:
        for stack in campaign.stacks:
            key = next(
                (name, point)
                for name in (stand_in(campaign.declared(stack)), FOR_ALL)
                if (name, point) in seconds or name == FOR_ALL
            )
            each, estimated = _launch(campaign, stack, point, seconds.get(key, 0.0), slots.get(key, {}))
            found.append(PointCost(stack, point, launches, each, estimated))
    return found


def _launch(campaign: Campaign, stack: str, point: Point, seconds: float, slots: Slots) -> tuple[float, int]:
    """Seconds of one real launch, and how many of its cases are only estimated.

    What the simulated launch took, the real number of runs in slots as long as the simulated ones, the start of the
    job with its synchronisation, and for what was not simulated the share of the planner's estimate.
    """
    asked = cases(campaign.operations, campaign.sizes)
    lacking = [case for case in asked if case not in slots]
    runs = sum(campaign.engine.max_reps * slots[case] / 1e6 for case in asked if case in slots)
    total = START_S + (START_PER_PROCESS_S + SYNC_PER_PROCESS_S) * point.processes + seconds + runs
    nothing: Durations = {}
    total += launch_seconds(campaign, stack, point, nothing) * len(lacking) / len(asked)
    return min(total, float(campaign.limits.launch_seconds)), len(lacking)


def _rehearsed(run: RunLayout) -> tuple[dict[tuple[str, Point], float], dict[tuple[str, Point], Slots]]:
    import pandas as pd

    launches, rows = pd.read_parquet(run.table("launches")), pd.read_parquet(run.table("measurements"))
    points = {
        row["launch_id"]: (
            row["stack"],
            Point(processes=row["processes"], processes_per_node=row["processes_per_node"], placement=row["placement"]),
        )
        for row in launches.to_dict("records")
    }
    seconds: dict[tuple[str, Point], float] = {}
    for row in launches.to_dict("records"):
        key = points[row["launch_id"]]
        seconds[key] = seconds.get(key, 0.0) + row["duration_s"]
    slots: dict[tuple[str, Point], dict[tuple[str, int], float]] = {}
    for row in rows.to_dict("records"):
        slots.setdefault(points[row["launch_id"]], {})[row["operation"], row["bytes"]] = row["slot_us"]
    return seconds, dict(slots)
