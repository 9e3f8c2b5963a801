# SPDX-License-Identifier: BSD-3-Clause
"""Points of a curve, measured: campaigns of one operation and one stack, up to the store."""

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
Axis = Literal["bytes", "processes", "block_length"]
#: Into how many parts an interval is split: sizes share a launch, numbers of processes and block lengths do not.
PARTS: dict[Axis, int] = {"bytes": 8, "processes": 2, "block_length": 2}
#: Blocks of a strided datatype, whose length in bytes is that of the gaps between them.
PIECES = 8
#: Keys of a campaign that are not those of a curve.
_OTHER = (
    "question", "contrasts", "groups", "tools", "programs", "sizes_by_operation", "first_calls", "scan", "remeasure",
    "compare_clock_syncs", "analysis", "hooks", "description",
)  # fmt: skip


def datatype_of(length: int) -> str:
    """Return the strided datatype with blocks of so many bytes."""
    return f"vector:{PIECES}:{length}:{2 * length}"


@dataclass
class Curve:
    """The time of an operation by its size, by the number of processes or by the length of the blocks of its datatype.

    `at`: the size, if it does not vary itself; of a datatype as many bytes as are whole.

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
        """Measure points in fresh blocks: those of one launch, or each by itself, together."""
        if self.axis == "block_length":
            return {length: self._measured([length], "bytes")[self._whole(length)] for length in asked}
        return self._measured(asked, self.axis)

    def _whole(self, length: int) -> int:
        """Return the bytes of the whole datatypes with blocks of a length that fit into the size."""
        return self.at - self.at % (PIECES * length)

    def _measured(self, asked: list[int], column: str) -> dict[int, Level]:
        """Measure points in a run; by a column of its levels."""
        campaign = self.campaign_of(asked)
        results = self.results / FOLDER
        plan = make_plan(campaign, earlier_durations(results, campaign.name))
        if plan.skipped:
            raise FileError(f"processes {plan.skipped[0].point.processes}: {plan.skipped[0].reason}")
        run = run_of(results, campaign, plan, again=self.again)
        if not self.quiet:
            self.console.print(f"{self.operation} at {', '.join(map(str, asked))}")
        measure(run, campaign, self.console, quiet=self.quiet, until_store=True)
        levels = {row[column]: Level(row["log_us"], row["half"]) for row in levels_of(run)}
        points = campaign.sizes if column == "bytes" else campaign.processes
        missing = [point for point in points if point not in levels]
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
        sizes = {"bytes": asked, "processes": [self.at], "block_length": [self._whole(asked[0])]}[self.axis]
        if self.axis == "block_length":
            document["engine"] = {**document.get("engine", {}), "datatype": datatype_of(asked[0])}
        return valid_campaign(
            {
                **document,
                "name": f"cliffs-{self.operation}-{self.stack}"[:64].rstrip("-._"),
                "title": f"{self.operation}, {self.stack}, by {self.axis}",
                "stacks": [self.stack],
                "variants": variants,
                "operations": [self.operation],
                "sizes": sizes,
                "processes": asked if self.axis == "processes" else [max(self.campaign.processes)],
                "processes_per_node": [max(self.campaign.processes_per_node)],
                "replication": {"blocks": self.blocks, "launches_per_block": 1},
                "seed": self.campaign.seed + self._count,
            },
            "cliffs",
        )
