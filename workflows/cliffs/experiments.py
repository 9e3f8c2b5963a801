# SPDX-License-Identifier: BSD-3-Clause
"""Points of a curve, measured: campaigns of one operation and one stack, up to the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.workflows.campaign_mistakes import valid_campaign
from isochron.workflows.cliffs.search import Cliff, Level, search
from isochron.workflows.driving.measured import measure, run_of
from isochron.workflows.driving.postprocess import levels_of
from isochron.workflows.planning.earlier import earlier_durations
from isochron.workflows.planning.plan import make_plan

#: Folder of the runs, in the folder of results: no command lists them.
FOLDER = ".cliffs"
#: What varies from point to point.
Axis = Literal["bytes", "processes"]
#: Into how many parts an interval is split: sizes share a launch, numbers of processes do not.
PARTS: dict[Axis, int] = {"bytes": 8, "processes": 2}
#: Keys of a campaign that are not those of a curve.
_OTHER = (
    "question", "contrasts", "groups", "tools", "programs", "sizes_by_operation", "first_calls", "scan", "remeasure",
    "compare_clock_syncs", "analysis", "hooks", "description",
)  # fmt: skip


@dataclass
class Curve:
    """The time of an operation by its size or by the number of processes; `at`: the size, if processes vary.

    `again`: measure again what an equal call has measured. `points`: all that were measured, with their levels.
    """

    campaign: Campaign
    stack: str
    operation: str
    axis: Axis
    at: int
    blocks: int
    results: Path
    console: Console
    quiet: bool
    again: bool = False
    points: dict[int, Level] = field(default_factory=dict)
    _count: int = 0

    def cliffs(self, low: int, high: int, jump: float, most: int) -> list[Cliff]:
        """Return the jumps between two points. Raises UnfinishedError, FileError."""
        steps = search(low, high, jump, most, PARTS[self.axis])
        asked = next(steps)
        while True:
            levels = self._levels(asked)
            self.points |= levels
            try:
                asked = steps.send(levels)
            except StopIteration as end:
                cliffs: list[Cliff] = end.value
                return cliffs

    def _levels(self, asked: list[int]) -> dict[int, Level]:
        """Measure points in fresh blocks."""
        campaign = self.campaign_of(asked)
        results = self.results / FOLDER
        plan = make_plan(campaign, earlier_durations(results, campaign.name))
        if plan.skipped:
            raise FileError(f"{self.axis} {plan.skipped[0].point.processes}: {plan.skipped[0].reason}")
        run = run_of(results, campaign, plan, again=self.again)
        if not self.quiet:
            self.console.print(f"{self.operation} at {', '.join(map(str, asked))}")
        measure(run, campaign, self.console, quiet=self.quiet, until_store=True)
        levels = {row[self.axis]: Level(row["log_us"], row["half"]) for row in levels_of(run)}
        missing = [point for point in asked if point not in levels]
        if missing:
            raise FileError(
                f"{run.root}: {self.operation} has no value at {missing[0]}; see `isochron report {run.root}`"
            )
        return levels

    def campaign_of(self, asked: list[int]) -> Campaign:
        """Return the campaign of some points, with another seed each time. Raises FileError."""
        self._count += 1
        document: dict[str, Any] = self.campaign.model_dump(mode="json", by_alias=True, exclude_unset=True)
        document = {name: value for name, value in document.items() if name not in _OTHER}
        variants = {name: variant for name, variant in document.get("variants", {}).items() if name == self.stack}
        by_size = self.axis == "bytes"
        return valid_campaign(
            {
                **document,
                "name": f"cliffs-{self.operation}-{self.stack}"[:64].rstrip("-._"),
                "title": f"{self.operation}, {self.stack}, by {self.axis}",
                "stacks": [self.stack],
                "variants": variants,
                "operations": [self.operation],
                "sizes": asked if by_size else [self.at],
                "processes": [max(self.campaign.processes)] if by_size else asked,
                "processes_per_node": [max(self.campaign.processes_per_node)],
                "replication": {"blocks": self.blocks, "launches_per_block": 1},
                "seed": self.campaign.seed + self._count,
            },
            "cliffs",
        )
