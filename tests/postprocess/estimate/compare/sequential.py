# SPDX-License-Identifier: BSD-3-Clause
"""Made-up sequential campaigns: planned, looked at and continued as real ones are, their launches drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from isochron.postprocess.estimate.compare.comparison import compare
from isochron.postprocess.estimate.compare.interim import analyse_interim, decided_at_interim
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.estimate.values.summary import summarise
from isochron.postprocess.ingest.inputs import RunInputs, planned_rows
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import InterimAnalysis
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.workflows.planning.next_blocks import next_stage
from isochron.workflows.planning.plan import make_plan
from tests.postprocess.estimate.compare.made import machine
from tests.workflows.conftest import SMALL

#: Two stacks at one point, in six cases.
SIX: dict[str, Any] = {
    **SMALL,
    "operations": ["bcast", "allreduce"],
    "sizes": [8, 1024, 65536],
    "processes": [2],
    "processes_per_node": [2],
    "replication": {"blocks": 10, "launches_per_block": 2, "sequential": True},
}


@dataclass(frozen=True)
class Ended:
    """How a campaign ended: its table, its analyses, launches, and cases measured over all launches."""

    table: pd.DataFrame
    analyses: list[InterimAnalysis]
    launches: int
    measured: int


@cache
def planned(document: str) -> tuple[Campaign, Plan]:
    """`document`: the text of a dictionary."""
    import ast

    campaign = Campaign.model_validate(ast.literal_eval(document))
    return campaign, make_plan(campaign)


class World:
    """What every launch of a campaign would measure: the same whenever it is asked."""

    def __init__(
        self, rng: Generator, campaign: Campaign, plan: Plan, factors: np.ndarray, world: str, spread: float
    ) -> None:
        """`factors`: of the second stack in each case."""
        launches = plan.worst_case.launches
        self.cases = cases(campaign.operations, campaign.sizes)
        logs = machine(rng, world, len(launches))[:, None] + rng.normal(0, spread, (len(launches), len(self.cases)))
        second = np.array([launch.stack == campaign.stacks[1] for launch in launches])
        logs += second[:, None] * np.log(factors)
        self.times = {launch.name: np.exp(own) for launch, own in zip(launches, logs, strict=True)}

    def rows(self, launch: PlannedLaunch, campaign: Campaign) -> list[dict[str, Any]]:
        """The rows of a launch."""
        known = dict(zip(self.cases, self.times[launch.name], strict=True))
        shared = {
            "launch_id": launch.name, "stack": launch.stack, **launch.point.model_dump(), "block": launch.block,
            "attempt": 1, "file": launch.file, "simulated": False, "verdict": "ok", "reason": "", "mean_us": np.nan,
            "clock_error_us": 0.0, "overhead_us": 0.0, "overhead_from_last_us": 0.0,
        }  # fmt: skip
        return [
            {**shared, "operation": operation, "bytes": size, "median_us": known[operation, size]}
            for operation, size in launch.cases(campaign.operations, campaign.sizes)
        ]


def sequential(campaign: Campaign, plan: Plan, world: World) -> Ended:
    """The campaign driven to its end."""
    found: list[dict[str, Any]] = []
    analyses: list[InterimAnalysis] = []
    measured: set[str] = set()
    while True:
        for launch in plan.launches:
            if launch.file not in measured:
                measured.add(launch.file)
                found += world.rows(launch, campaign)
        inputs = RunInputs(RunLayout(Path("none")), campaign, plan, None, {})
        rows = pd.DataFrame(found)
        if not plan.later:
            return Ended(decided_at_interim(inputs, rows, measured, analyses), analyses, len(measured), len(rows))
        analyses.append(analyse_interim(inputs, rows, measured, analyses))
        plan, _ = next_stage(campaign, plan, analyses[-1].open, None, lambda *_: 0.0)


def at_once(campaign: Campaign, plan: Plan, world: World) -> pd.DataFrame:
    """What all launches at worst say, looked at once, as without `sequential`."""
    plan = plan.worst_case
    rows = pd.DataFrame([row for launch in plan.launches for row in world.rows(launch, campaign)])
    inputs = RunInputs(RunLayout(Path("none")), campaign, plan, None, {})
    rules = Rules(campaign.analysis.threshold, campaign.analysis.confidence, campaign.seed)
    return compare(rows_of(summarise(planned_rows(inputs), rows, rules.confidence), rows), campaign.stacks, rules)


def judged(table: pd.DataFrame, factors: np.ndarray, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Of each case whether its verdict is wrong, and whether it is the right one."""
    truth, margin = np.log(factors), log(1 + threshold)
    verdict = table["verdict"].to_numpy()
    slower, faster = truth > margin + 1e-9, truth < -margin - 1e-9
    equal = ~slower & ~faster
    right = ((verdict == "slower") & slower) | ((verdict == "faster") & faster) | ((verdict == "equivalent") & equal)
    return ~right & (verdict != "inconclusive"), right
