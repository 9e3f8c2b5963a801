# SPDX-License-Identifier: BSD-3-Clause
"""Measuring the two stages of an upgrade, part by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression

from rich.console import Console

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.screening import ScreenedCase, Screening
from isochron.workflows.driving.measured import measure, run_of
from isochron.workflows.driving.postprocess import screened_ratios
from isochron.workflows.planning.earlier import earlier_durations
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import comparison_of
from isochron.workflows.upgrade.selection import choose, left_out
from isochron.workflows.upgrade.stages import FIRST, FOLLOWED, LONGER, PARTS, SCREENED, Part, Versions

#: Folder of the runs of the first stage, in the folder of results: no command lists them.
FOLDER = ".upgrade"
#: Operations of a part that are followed whatever that takes.
FEWEST = 4


@dataclass(frozen=True)
class Planned:
    """The first stage of a part: its campaign, and its plan with what is known of its duration."""

    part: Part
    campaign: Campaign
    plan: Plan


@dataclass(frozen=True)
class Screened:
    """The first stage of a part as it was measured. `seconds`: what it took."""

    planned: Planned
    run: RunLayout
    rows: list[ScreenedCase]
    seconds: float


@dataclass
class Upgrade:
    """The upgrade between two versions.

    `minutes`: of the call, a `share` of which is for both stages; `again`: measure again what an equal call has
    measured. `always`: operations that are followed whatever the first stage shows, by the name of the part.
    """

    versions: Versions
    results: Path
    minutes: float
    console: Console
    quiet: bool
    again: bool = False
    share: float = 1.0
    locks: dict[str, str] = field(default_factory=dict)
    always: Mapping[str, Collection[str]] = field(default_factory=dict)

    def planned(self) -> list[Planned]:
        """Return the first stage of each part, with as many blocks as its share of the minutes permits.

        Raises FileError if the fewest blocks take more than that.
        """
        fewest, most = SCREENED
        least = [self._planned(part, fewest) for part in PARTS]
        seconds = sum(one.plan.seconds for one in least)
        permitted = FIRST * self._seconds
        if seconds > permitted:
            share = FIRST * self.share
            raise FileError(
                f"--minutes {self.minutes:g}: the first stage alone takes {seconds / 60:.3g}, and has "
                f"{100 * share:.0f} % of the minutes; give {math.ceil(seconds / 60 / share)}"
            )
        blocks = min(most, math.floor(fewest * permitted / seconds))
        return least if blocks == fewest else [self._planned(part, blocks) for part in PARTS]

    @property
    def _seconds(self) -> float:
        """Seconds for both stages."""
        return 60 * self.minutes * self.share

    def _planned(self, part: Part, blocks: int) -> Planned:
        """By the coarse model alone: what was measured meanwhile must not change the plan of a call that goes on."""
        campaign = self.versions.screening(part, blocks)
        return Planned(part, campaign, make_plan(campaign))

    def screen(self, planned: Sequence[Planned]) -> list[Screening]:
        """Measure the first stage of each part, and choose what to follow. Raises UnfinishedError, FileError."""
        screened = [self._screened(one) for one in planned]
        return [self._chosen(one, most) for one, most in zip(screened, self._affordable(screened), strict=True)]

    def _screened(self, planned: Planned) -> Screened:
        campaign = planned.campaign
        run = self._measured(self.results / FOLDER, campaign, planned.plan)
        rows = [ScreenedCase.model_validate(row) for row in screened_ratios(run, *campaign.stacks)]
        seconds = make_plan(campaign, earlier_durations(self.results / FOLDER, campaign.name)).seconds
        return Screened(planned, run, rows, seconds)

    def _chosen(self, screened: Screened, most: int) -> Screening:
        campaign, part = screened.planned.campaign, screened.planned.part
        threshold = campaign.analysis.threshold
        cases = choose(screened.rows, threshold, most, self.always.get(part.name, ()))
        old, new = campaign.stacks
        return Screening(
            old=old,
            new=new,
            part=part.name,
            run=screened.run.run_id,
            blocks=campaign.replication.blocks,
            threshold=threshold,
            cases=cases,
            left=left_out(cases, threshold),
        )

    def _affordable(self, screened: Sequence[Screened]) -> list[int]:
        """Return how many operations of each part the second stage can measure: by what the first stage took.

        The fewest of each, and what is then left of the minutes by the number of cases. A block takes its launches
        whatever they measure, and so long for each case: the line through what the parts took.
        """
        parts = [one.planned.part for one in screened]
        blocks = screened[0].planned.campaign.replication.blocks
        slope, start = linear_regression([part.cases for part in parts], [one.seconds / blocks for one in screened])
        stacks = 1 + len(self.versions.beside) / 2
        launches = FOLLOWED * stacks * max(0.0, start)
        operations = [FOLLOWED * stacks * LONGER * slope * part.cases / len(part.operations) for part in parts]
        left = self._seconds - sum(one.seconds + launches for one in screened) - FEWEST * sum(operations)
        cases = sum(part.cases for part in parts)
        return [
            min(len(part.operations), FEWEST + max(0, math.floor(left * part.cases / cases / operation)))
            for part, operation in zip(parts, operations, strict=True)
        ]

    def follow(self, part: Part, screening: Screening) -> RunLayout:
        """Measure the chosen operations of a part in fresh blocks, up to the report. Raises UnfinishedError."""
        campaign = self.versions.following(part, dict.fromkeys(case.operation for case in screening.followed))
        plan = make_plan(campaign, earlier_durations(self.results, campaign.name))
        return self._measured(self.results, campaign, plan, screening)

    def _measured(self, results: Path, campaign: Campaign, plan: Plan, screening: Screening | None = None) -> RunLayout:
        """Measure a campaign, or continue an equal one: up to the report if it follows what was screened."""
        run = run_of(results, campaign, plan, again=self.again, locks=self.locks, say=self._say)
        self.locks = Plan.load(run.plan).locks
        if screening is not None:
            screening.save(run.screening)
        self._say(f"{campaign.heading}: {len(plan.launches)} launches in {len(plan.blocks)} blocks, {run.run_id}")
        measure(run, campaign, self.console, quiet=self.quiet, until_store=screening is None)
        return run

    @property
    def _say(self) -> Callable[[str], None]:
        return (lambda _: None) if self.quiet else self.console.print


@dataclass(frozen=True)
class Changed:
    """A case of the second stage with its verdict."""

    operation: str
    bytes: int
    verdict: str
    ratio: float
    low: float
    high: float


def changes_of(run: RunLayout) -> list[Changed]:
    """Return the cases of the question of a run, those that changed most first. Raises FileError."""
    rows = [row for row in comparison_of(run) if row["family"] == "question"]
    changes = [
        Changed(
            row["operation"], int(row["bytes"]), row["verdict"],
            *(float(row[name] or "nan") for name in ("ratio", "ratio_low", "ratio_high")),
        )
        for row in rows
    ]  # fmt: skip
    return sorted(changes, key=lambda one: -abs(math.log(one.ratio)) if one.ratio > 0 else 0.0)
