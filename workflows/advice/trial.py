# SPDX-License-Identifier: BSD-3-Clause
"""Trials: fresh blocks of the old version, the new one, and the new one with settings; of an upgrade or a campaign."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from rich.console import Console

from isochron.common.copies import is_there
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import Replication
from isochron.schemas.run.advice import AdvisedSetting
from isochron.schemas.run.explanation import Explanation
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.screening import Screening, seconds_of
from isochron.workflows.advice.judgement import Key, Names, Row
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.campaign_mistakes import valid_campaign
from isochron.workflows.driving.measured import measure, run_of
from isochron.workflows.planning.earlier import earlier_durations
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import comparison_of
from isochron.workflows.upgrade.stages import FOLLOWED, Versions, site_of
from isochron.workflows.upgrade.upgrade import Planned, Upgrade

#: Blocks of a trial of a campaign: as many as the second stage of an upgrade has.
BLOCKS = FOLLOWED


@dataclass(frozen=True)
class Trial:
    """What a trial measured: its run, the rows of its comparison, and how many cases were screened before."""

    run: RunLayout
    rows: Sequence[Row]
    screened: int = 0


@dataclass(frozen=True)
class Explained:
    """A run whose differences were explained, with the losses that it claims: those that are largest at least first."""

    run: RunLayout
    explanation: Explanation
    lost: list[Key]


def names_of(explanation: Explanation, settings: Sequence[AdvisedSetting]) -> Names:
    """Return the stacks of a trial of these settings."""
    new = explanation.new
    alone = [f"{new}.set-{number}"[-64:] for number in range(1, len(settings) + 1)] if len(settings) > 1 else []
    return Names(explanation.old, new, f"{new}.set"[-64:], alone)


class Prepared(Protocol):
    """A trial that can be measured."""

    @property
    def plan(self) -> Plan:
        """Of what is measured first."""

    def measure(self) -> Trial:
        """Measure it up to its report. Raises UnfinishedError, FileError."""


@dataclass(frozen=True)
class OfUpgrade:
    """A trial over all that an upgrade screens; what lost before is followed, too, as far as the minutes permit."""

    upgrade: Upgrade
    planned: Planned

    @property
    def plan(self) -> Plan:
        """Of the first stage."""
        return self.planned.plan

    def measure(self) -> Trial:
        """Screen all, and measure again what lost before and what seems to have changed."""
        screening = self.upgrade.screen(self.planned)
        run = self.upgrade.follow(screening)
        return Trial(run, comparison_of(run), len(screening.cases))


@dataclass(frozen=True)
class OfCampaign:
    """A trial of all cases of a campaign, at the point at which its versions differ."""

    campaign: Campaign
    plan: Plan
    results: Path
    locks: Mapping[str, str]
    console: Console
    quiet: bool
    again: bool

    def measure(self) -> Trial:
        """Measure the campaign up to its report."""
        run = run_of(self.results, self.campaign, self.plan, again=self.again, locks=self.locks)
        measure(run, self.campaign, self.console, quiet=self.quiet, until_store=False)
        return Trial(run, comparison_of(run))


@dataclass(frozen=True)
class Trials:
    """The trials that follow the explanation of a pair of versions. `minutes`: budget of each of an upgrade.

    `again`: measure again what an equal trial has measured. `until`: when all must be over, as `monotonic` has it.
    """

    explained: Explained
    minutes: float
    console: Console
    quiet: bool
    again: bool = False
    until: float = math.inf

    @property
    def fits_another(self) -> bool:
        """Return True if one more trial can take its minutes."""
        return monotonic() + 60 * self.minutes <= self.until

    @property
    def campaign(self) -> Campaign:
        """The campaign of the explained run."""
        return load_campaign(self.explained.run.campaign)

    def prepare(self, names: Names, settings: Sequence[AdvisedSetting]) -> Prepared:
        """Return the trial of these settings. Raises FileError."""
        campaign, run = self.campaign, self.explained.run
        results, locks = run.root.parent.parent, Plan.load(run.plan).locks
        site = _with_settings(campaign, names, settings)
        if not is_there(run.screening):
            trial = _campaign(campaign, site, names, self.explained.explanation)
            plan = make_plan(trial, earlier_durations(results, trial.name))
            return OfCampaign(trial, plan, results, locks, self.console, self.quiet, self.again)
        screening = Screening.load(run.screening)
        ended = frozenset(operation for operations in screening.ended.values() for operation in operations)
        upgrade = Upgrade(
            Versions((names.old, names.together), site, (names.new, *names.alone), ended),
            results, self.minutes, self.console, self.quiet, self.again, locks=dict(locks),
            always=list(dict.fromkeys(operation for operation, _ in self.explained.lost)),
            known=seconds_of(screening.cases),
        )  # fmt: skip
        return OfUpgrade(upgrade, upgrade.planned())


def _with_settings(campaign: Campaign, names: Names, settings: Sequence[AdvisedSetting]) -> dict[str, Any]:
    """Return the keys of the site, with variants of the new version: with all settings, and with each alone."""
    site = site_of(campaign, (names.old, names.new))
    together = {name: value for one in settings for name, value in one.variables.items()}
    setups = [together, *(one.variables for one in settings)] if names.alone else [together]
    for name, variables in zip((names.together, *names.alone), setups, strict=True):
        site["variants"][name] = campaign.varied(names.new, variables)
    return site


def _campaign(base: Campaign, site: Mapping[str, Any], names: Names, at: Explanation) -> Campaign:
    """Return the campaign of a trial of all cases of another campaign."""
    document = base.model_dump(mode="json", by_alias=True)
    return valid_campaign(
        {
            **site,
            **{key: document[key] for key in ("operations", "sizes", "sizes_by_operation", "engine")},
            "schema": 1,
            "name": f"advise-{names.old}-{names.new}"[:64].rstrip("-._"),
            "title": f"From {names.old} to {names.new} with settings",
            "stacks": [names.old, names.new, names.together, *names.alone],
            "processes": [at.processes],
            "processes_per_node": [at.processes_per_node],
            "placements": [at.placement],
            "replication": Replication.in_turns(BLOCKS),
            "question": {"baseline": names.old, "candidate": names.together},
        },
        "advise",
    )
