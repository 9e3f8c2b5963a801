# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with settings: campaigns of two stacks and variants of them, in turns, up to the store."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console

from isochron.common.text import assignments
from isochron.schemas.engine.contract import WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import Question
from isochron.schemas.input.replication import Replication
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Plan, Point
from isochron.spack_envs.toolchain import applied
from isochron.workflows.driving.measured import measure, run_of
from isochron.workflows.driving.postprocess import explained_shares
from isochron.workflows.explanation.search import Share
from isochron.workflows.planning.earlier import earlier_durations
from isochron.workflows.planning.estimate import Durations
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import run_to_continue

#: Folder of the runs, in the folder of results: no command lists them.
FOLDER = ".explain"
#: Variants in one experiment: with the two stacks, as many libraries as a demo has and a few more.
MOST = 8

Case = tuple[str, int]
#: A variant of a stack: its stack, and variables of the environment.
Setup = tuple[str, Mapping[str, str]]


class OutOfMinutesError(Exception):
    """The next experiment does not fit into the minutes that are left."""


@dataclass
class Experiments:
    """Experiments on the cases in which two stacks of a campaign differ. `of_run`: the run that found them.

    `again`: measure again what an earlier, equal call has measured. `count`, `launches`: what was measured so far, and
    the `seconds` that it took now. `budget`: seconds that it may take; those measured earlier are for nothing.
    """

    of_run: RunLayout
    campaign: Campaign
    old: str
    new: str
    point: Point
    blocks: int
    console: Console
    quiet: bool
    again: bool = False
    budget: float = math.inf
    count: int = 0
    launches: int = 0
    seconds: float = 0.0
    #: The campaigns that were measured so far, as documents: a second search of the call finds them, even with `again`.
    measured: set[str] = field(default_factory=set)
    #: What the last call of `measure` returned, as the table has it (`EXPLAINED_COLUMNS`).
    rows: list[dict[str, Any]] = field(default_factory=list)
    #: Of each case how many times as long the new stack takes, in the first experiment that had it.
    ratios: dict[Case, float] = field(default_factory=dict)
    _last: RunLayout | None = None

    @property
    def results(self) -> Path:
        """The folder of the runs of all experiments."""
        return self.of_run.root.parent.parent / FOLDER

    @property
    def readers(self) -> Path:
        """The folder of the programs that read settings."""
        return self.results / "readers"

    def manifest(self, stack: str) -> Manifest:
        """Return the manifest of one of the two stacks, built by the last experiment, or else by the run."""
        run = self._last or self.of_run
        return Manifest.load(run.manifest(stack))

    def built_manifests(self, cases: list[Case]) -> tuple[Manifest, Manifest]:
        """Return the manifests of the two stacks; an experiment builds them if one is no longer installed."""
        manifests = self.manifest(self.old), self.manifest(self.new)
        if all(shutil.which(one.cc, path=applied(one.environment, os.environ).get("PATH")) for one in manifests):
            return manifests
        self.measure({}, cases)
        return self.manifest(self.old), self.manifest(self.new)

    def measure(self, setups: Mapping[str, Setup], cases: Iterable[Case]) -> dict[str, dict[Case, Share | None]]:
        """Return the share of each variant in each case: of the difference of the new stack from the old one.

        None: the two stacks do not differ there in this experiment. Under the old stack's own name the shares are 1.
        Raises UnfinishedError if it was interrupted or failed, OutOfMinutesError before it begins what takes too long.
        """
        shares: dict[str, dict[Case, Share | None]] = {}
        names = list(setups)
        wanted = list(cases)
        self.rows = []
        for first in range(0, max(1, len(names)), MOST):
            part = {name: setups[name] for name in names[first : first + MOST]}
            rows = self._rows(part, self.campaign_of(part, wanted))
            self.rows += rows
            for row in rows:
                share = None if row["share"] is None else Share(row["share"], row["low"], row["high"])
                shares.setdefault(row["variant"], {})[row["operation"], row["bytes"]] = share
                if row["variant"] == self.old:
                    self.ratios.setdefault((row["operation"], row["bytes"]), row["ratio"])
        return shares

    def _rows(self, setups: Mapping[str, Setup], campaign: Campaign) -> list[dict[str, Any]]:
        """Measure an experiment, or continue an equal one, and return a row for each variant and case."""
        plan = make_plan(campaign, self._durations(setups, campaign.name))
        document = campaign.model_dump_json()
        again = self.again and document not in self.measured
        if again or not self._is_measured(plan):
            self._afford(plan)
        self._announce(setups)
        began = monotonic()
        run = run_of(self.results, campaign, plan, again=again, locks=Plan.load(self.of_run.plan).locks)
        measure(run, campaign, self.console, quiet=self.quiet, until_store=True)
        self.seconds += monotonic() - began
        self.measured.add(document)
        self._last = run
        self.count += 1
        self.launches += len(plan.launches)
        return explained_shares(run, self.old, self.new)

    def _durations(self, setups: Mapping[str, Setup], campaign: str) -> Durations:
        """Return how long launches took in the newest experiment; a variant without one takes as long as its stack."""
        durations = earlier_durations(self.results, campaign)
        of_variants = {
            (name, point): seconds
            for name, (stack, _) in setups.items()
            for (measured, point), seconds in durations.items()
            if measured == stack
        }
        return {**of_variants, **durations}

    def _is_measured(self, plan: Plan) -> bool:
        """Return True if an equal experiment has a store."""
        run = run_to_continue(self.results, plan)
        return run is not None and run.table("launches").is_file()

    def _afford(self, plan: Plan) -> None:
        """Raise OutOfMinutesError if an experiment takes more than what is left of the budget."""
        if plan.seconds > self.budget - self.seconds:
            raise OutOfMinutesError

    def _announce(self, setups: Mapping[str, Setup]) -> None:
        """Say which experiment begins."""
        if not self.quiet:
            texts = [_words(setup) for setup in setups.values()]
            self.console.print(f"experiment {self.count + 1}: {'; '.join(texts) or f'{self.old} and {self.new} again'}")

    def campaign_of(self, setups: Mapping[str, Setup], cases: list[Case]) -> Campaign:
        """Return the campaign of one experiment, with another seed for each."""
        base = self.campaign
        operations = list(dict.fromkeys(operation for operation, _ in cases))
        sizes = sorted({size for operation, size in cases if operation not in WITHOUT_DATA})
        variants = {name: base.variants[name] for name in (self.old, self.new) if name in base.variants}
        for name, (stack, variables) in setups.items():
            variants[name] = base.varied(stack, variables)
        return Campaign(
            schema_version=1,
            name=f"explain-{self.old}-{self.new}"[:64].rstrip("-._"),
            title=f"Why {self.new} differs from {self.old}",
            stacks=[self.old, self.new, *setups],
            variants=variants,
            operations=operations,
            sizes=sizes or [8],
            processes=[self.point.processes],
            processes_per_node=[self.point.processes_per_node],
            placements=[self.point.placement],
            node_lists=base.node_lists,
            replication=Replication.in_turns(self.blocks),
            engine=base.engine,
            site=base.site,
            limits=base.limits,
            question=Question(baseline=self.old, candidate=self.new),
            stack_source=base.stack_source,
            allow_oversubscription=base.allow_oversubscription,
            seed=base.seed + 1 + self.count,
        )


def _words(setup: Setup) -> str:
    """Return a stack with a few variables and their values, or how many there are."""
    stack, variables = setup
    if not variables:
        return stack
    return f"{stack} with {assignments(variables) if len(variables) < 3 else f'{len(variables)} settings'}"
