# SPDX-License-Identifier: BSD-3-Clause
"""Measuring the two stages of an upgrade."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from rich.console import Console

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.screening import ScreenedCase, Screening, seconds_of
from isochron.schemas.run.state import BlockState
from isochron.workflows.driving.given_up import ended_attempts
from isochron.workflows.driving.measured import UnfinishedError, measure, run_of
from isochron.workflows.driving.postprocess import screened_ratios
from isochron.workflows.planning.earlier import earlier_durations
from isochron.workflows.planning.estimate import START_S
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import comparison_of, run_to_continue
from isochron.workflows.upgrade.selection import choose, left_out
from isochron.workflows.upgrade.stages import FIRST, FOLLOWED, MORE, SCREENING, Versions

#: Folder of the runs of the first stage, in the folder of results: no command lists them.
FOLDER = ".upgrade"
#: Operations that are left out at most since programs end in them: with more it is not they that do it.
MOST_ENDED = 6
#: Launches of a stack that end in one operation, after which the first stage is stopped.
ENOUGH_ENDS = 2


@dataclass(frozen=True)
class Planned:
    """The first stage: its campaign, and its plan with what is known of its duration."""

    campaign: Campaign
    plan: Plan


@dataclass
class Upgrade:
    """The upgrade between two versions.

    `minutes`: of the call, a `share` of which is for both stages; `again`: measure again what an equal call has
    measured. `always`: operations that are worth following whatever the first stage shows, the first of them first;
    `known`: seconds of an operation in a block of the first stage, with the old version and the first stack beside.
    """

    versions: Versions
    results: Path
    minutes: float
    console: Console
    quiet: bool
    again: bool = False
    share: float = 1.0
    locks: dict[str, str] = field(default_factory=dict)
    always: Sequence[str] = ()
    known: Mapping[str, float] = field(default_factory=dict)

    def planned(self) -> Planned:
        """Return the first stage, with as many blocks as its share of the minutes permits.

        Raises FileError if the fewest blocks take more than that.
        """
        fewest, most = SCREENING
        least = self._planned(fewest)
        seconds, permitted = least.plan.seconds, FIRST * self._seconds
        if seconds > permitted:
            share = FIRST * self.share
            raise FileError(
                f"--minutes {self.minutes:g}: the first stage alone takes {seconds / 60:.3g}, and has "
                f"{100 * share:.0f} % of the minutes; give {math.ceil(seconds / 60 / share)}"
            )
        blocks = min(most, math.floor(fewest * permitted / seconds))
        return least if blocks == fewest else self._planned(blocks)

    @property
    def _seconds(self) -> float:
        """Seconds for both stages."""
        return 60 * self.minutes * self.share

    def _planned(self, blocks: int) -> Planned:
        """By the coarse model alone: what was measured meanwhile must not change the plan of a call that goes on."""
        campaign = self.versions.screening(blocks)
        return Planned(campaign, make_plan(campaign))

    def screen(self, planned: Planned) -> Screening:
        """Measure the first stage, and choose what to follow. Raises UnfinishedError, FileError."""
        run, campaign, ended = self._first_stage(planned)
        listed, wrong = screened_ratios(run, *campaign.stacks)
        if not listed:
            raise FileError(
                f"{run.root}: nothing could be compared: no block has results of both {' and '.join(campaign.stacks)}; "
                "why launches were not accepted is in attempts/*/*/outcome.json"
            )
        useless = {operation for operations in wrong.values() for operation in operations}
        rows = [one for one in map(ScreenedCase.model_validate, listed) if one.operation not in useless]
        seconds = make_plan(campaign, earlier_durations(self.results / FOLDER, campaign.name)).seconds
        threshold, blocks = campaign.analysis.threshold, campaign.replication.blocks
        permitted = self._affordable(blocks, seconds / blocks, sum(row.seconds for row in rows))
        measured = {row.operation for row in rows}
        always = [one for one in self.always if one in measured]
        stacks = 2 + len(self.versions.beside)
        cases = choose(rows, threshold, self._costs(rows), permitted, always, stacks)
        old, new = campaign.stacks
        return Screening(
            old=old,
            new=new,
            run=run.run_id,
            blocks=blocks,
            threshold=threshold,
            cases=cases,
            left=left_out(cases, threshold),
            wrong=wrong,
            ended=ended,
        )

    def _first_stage(self, planned: Planned) -> tuple[RunLayout, Campaign, dict[str, list[str]]]:
        """Measure everything; then again without the operations in which the program of a stack ended, by stack.

        A stack is measured if one of its launches is complete.
        """
        results, blocks = self.results / FOLDER, planned.campaign.replication.blocks
        ended: dict[str, list[str]] = {}
        while True:
            earlier = None if self.again else run_to_continue(results, planned.plan)
            more = {} if earlier is None else ended_in(earlier)
            if not more:
                run, more = self._measured_or_ended(results, planned)
                if not more:
                    return run, planned.campaign, ended
            for stack, operations in more.items():
                ended.setdefault(stack, []).extend(operations)
                if not self.quiet:
                    self.console.print(
                        f"{stack} ends the program in {', '.join(operations)}: everything else is screened"
                    )
            without = self.versions.without | frozenset(chain(*ended.values()))
            if len(without) > MOST_ENDED:
                raise FileError(f"programs end in {', '.join(sorted(without))}: the cause is not in these operations")
            self.versions = replace(self.versions, without=without)
            planned = self._planned(blocks)

    def _measured_or_ended(self, results: Path, planned: Planned) -> tuple[RunLayout, dict[str, list[str]]]:
        """Return the run of the first stage, and where programs ended in it, by which it may have failed."""
        try:
            run = self._measured(results, planned.campaign, planned.plan)
        except UnfinishedError as error:
            failed = run_to_continue(results, planned.plan) if error.state.state == "failed" else None
            ended = ended_in(failed) if failed is not None else {}
            if failed is None or not ended:
                raise
            return failed, ended
        return run, ended_in(run)

    def _affordable(self, blocks: int, block: float, turns: float) -> float:
        """Return how many seconds of turns a block of the second stage can have, as long as in the first one.

        `block`: seconds that each of the first stage's `blocks` took, with so many of `turns`: what else it took is for
        each turn.
        """
        stacks = 2 + len(self.versions.beside)
        left = self._seconds - block * blocks - FOLLOWED * stacks * START_S
        whole = max(1.0, (block - 2 * START_S) / turns) if turns else 1.0
        return left / FOLLOWED / (MORE * whole)

    def _costs(self, cases: Iterable[ScreenedCase]) -> dict[str, float]:
        """Return the seconds of unverified turns of each operation, with all stacks, in a block of the first stage.

        A stack beside takes half of what both take, the first one more if that is known.
        """
        beside, both = len(self.versions.beside), seconds_of(cases)
        if not beside:
            return both
        return {
            operation: (1 + beside) * seconds / 2 + max(seconds / 2, self.known.get(operation, 0.0) - seconds / 2)
            for operation, seconds in both.items()
        }

    def follow(self, screening: Screening) -> RunLayout:
        """Measure the chosen operations in fresh blocks, up to the report. Raises UnfinishedError, FileError."""
        campaign = self.versions.following(dict.fromkeys(case.operation for case in screening.followed))
        plan = make_plan(campaign, earlier_durations(self.results, campaign.name))
        return self._measured(self.results, campaign, plan, screening)

    def _measured(self, results: Path, campaign: Campaign, plan: Plan, screening: Screening | None = None) -> RunLayout:
        """Measure a campaign, or continue an equal one: up to the report if it follows what was screened."""
        console = None if self.quiet else self.console
        run = run_of(results, campaign, plan, again=self.again, locks=self.locks, console=console)
        self.locks = Plan.load(run.plan).locks
        if screening is not None:
            screening.save(run.screening)
        measure(
            run,
            campaign,
            self.console,
            quiet=self.quiet,
            until_store=screening is None,
            is_hopeless=lambda now: screening is None and bool(ended_in(now, ENOUGH_ENDS)),
        )
        return run


def ended_in(run: RunLayout, times: int = 1) -> dict[str, list[str]]:
    """Return the operations in which the program ended so often, of each stack of a run that has no complete launch."""
    states = [BlockState.load_if_readable(outcome) for outcome in ended_attempts(run)]
    launches = [launch for state in states if state is not None for launch in state.launches]
    if not any(launch.ended_in for launch in launches):
        return {}
    stack_of = {launch.name: launch.stack for launch in Plan.load(run.plan).launches}
    complete = {stack_of[launch.name] for launch in launches if launch.accepted}
    ends = Counter((stack_of[launch.name], launch.ended_in) for launch in launches if launch.ended_in)
    operations: dict[str, list[str]] = {}
    for (stack, operation), count in sorted(ends.items()):
        if count >= times and stack not in complete:
            operations.setdefault(stack, []).append(operation)
    return operations


@dataclass(frozen=True)
class Changed:
    """A case of the second stage with its verdict; `reason`: where that holds if not everywhere, as comparison.csv."""

    operation: str
    bytes: int
    verdict: str
    ratio: float
    low: float
    high: float
    reason: str


def changes_of(run: RunLayout) -> list[Changed]:
    """Return the cases of the question of a run, those that changed most first. Raises FileError."""
    changes = []
    for row in comparison_of(run):
        if row["family"] == "question":
            ratio, low, high = (float(row[name] or "nan") for name in ("ratio", "ratio_low", "ratio_high"))
            one = Changed(row["operation"], int(row["bytes"]), row["verdict"], ratio, low, high, row["reason"])
            changes.append(one)
    return sorted(changes, key=lambda one: -abs(math.log(one.ratio)) if one.ratio > 0 else 0.0)
