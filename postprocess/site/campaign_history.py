# SPDX-License-Identifier: BSD-3-Clause
"""The history of a campaign as its pages tell it: rows, levels, changes, what else differed, the verdict in short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from isochron.postprocess.estimate.compare.configurations import configuration_sentences
from isochron.postprocess.estimate.compare.history import Found
from isochron.postprocess.estimate.history_cache.facts import Difference, Facts, facts_of_all
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import CASE, POINT, RESULT_KEY
from isochron.postprocess.site.differences import between
from isochron.postprocess.site.discovery import Campaign, Run
from isochron.postprocess.site.trends import Line, level_lines
from isochron.stats.changes.search import FEWEST

#: Runs for which a change is what the campaign's verdict says.
RECENT = 7
#: Verdicts in short, as badges say them.
INCONCLUSIVE, UNCHANGED, SLOWER, FASTER = "inconclusive", "unchanged", "slower", "faster"
#: Of a row of which the newest run alone is off.
UNCONFIRMED = "unconfirmed"
#: `whose` of what all stacks share.
MACHINE_OWNS = "machine"


@dataclass(frozen=True)
class Change:
    """A row that went to another level with `run`, which `found` has shown; both are numbers of counted runs."""

    series: int
    run: int
    found: int
    before_us: float
    after_us: float
    ratio: float
    p_holm: float
    verdict: str
    whose: str


@dataclass(frozen=True)
class CampaignHistory:
    """T runs that count, S rows. `found`: values and changes; `facts`: of each run.

    `unconfirmed`: rows of which the newest run alone is off; `nights`: of the machine and of configurations, by run;
    `events`: by run what differs from the one before it.
    """

    campaign: Campaign
    found: Found
    changes: list[Change]
    unconfirmed: list[Change] = field(default_factory=list)
    nights: dict[int, list[str]] = field(default_factory=dict)
    facts: list[Facts] = field(default_factory=list)
    events: dict[int, list[Difference]] = field(default_factory=dict)

    @cached_property
    def runs(self) -> list[Run]:
        """The runs that count, the oldest first."""
        return self.campaign.counted

    @cached_property
    def names(self) -> list[str]:
        """Their names."""
        return [run.run_id for run in self.runs]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """ROW of each series."""
        return [
            {str(name): value for name, value in row.items()} for row in self.found.rows[RESULT_KEY].to_dict("records")
        ]

    @cached_property
    def several_points(self) -> bool:
        """Return True if a row has to say at which point it is."""
        return len(self.found.rows[POINT].drop_duplicates()) > 1

    @cached_property
    def by_series(self) -> dict[int, list[Change]]:
        """The changes of each row that has some, the oldest first."""
        grouped: dict[int, list[Change]] = {}
        for change in self.changes:
            grouped.setdefault(change.series, []).append(change)
        return grouped

    def at(self, run: int) -> list[Change]:
        """The changes that begin with a run, the largest first."""
        changes = [change for change in self.changes if change.run == run]
        return sorted(changes, key=lambda change: -abs(np.log(change.ratio)))

    def line(self, series: int) -> Line:
        """The values of a row, and its levels."""
        values, changes = self.found.values[:, series], self.by_series.get(series, [])
        finite = values[np.isfinite(values)]
        first = changes[0].before_us if changes else (float(np.median(finite)) if len(finite) else 1.0)
        return Line(values, level_lines(first, [(change.run, change.after_us) for change in changes], len(values)))

    def case(self, series: int) -> str:
        """`mpich-5.0, alltoall at 8 B with 4 processes on one node`; the point only if there are several."""
        return f"{self.rows[series]['stack']}, {case_words(self.rows[series], point=self.several_points)}"

    @cached_property
    def enough(self) -> bool:
        """Return True if there are runs enough to find a change in any row."""
        return bool(len(self.rows)) and bool((np.isfinite(self.found.values).sum(axis=0) >= FEWEST).any())

    @cached_property
    def recent(self) -> list[Change]:
        """The changes that one of the last runs has shown."""
        return [change for change in self.changes if change.found >= len(self.runs) - RECENT]

    @property
    def verdict(self) -> str:
        """In short, of the last runs."""
        if not self.enough or not np.isfinite(self.found.values[-1]).any():
            return INCONCLUSIVE
        verdicts = {change.verdict for change in self.recent}
        return SLOWER if SLOWER in verdicts else FASTER if FASTER in verdicts else UNCHANGED

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        runs = numbers.count(len(self.runs), "complete run")
        if not self.runs:
            return "No run is complete yet."
        if self.verdict == INCONCLUSIVE:
            most = int(np.isfinite(self.found.values).sum(axis=0).max(initial=0))
            if most >= FEWEST:
                return f"{runs}; no value of the newest one is reliable."
            return f"{runs}; changes can be told from {FEWEST} on."
        if not self.recent:
            since = max((change.run for change in self.changes), default=0)
            unchanged = f"Unchanged in the last {numbers.count(len(self.runs) - since, 'run')}, of {len(self.runs)}."
            return unchanged + self._awaiting
        parts = [self._recently(word) for word in (SLOWER, FASTER) if any(c.verdict == word for c in self.recent)]
        return f"{'; '.join(parts)}. {runs}.{self._awaiting}"

    @property
    def _awaiting(self) -> str:
        """What the next run decides."""
        rows = sum(line.whose != MACHINE_OWNS for line in self.unconfirmed)
        off = f"{numbers.count(rows, 'row')} {'is' if rows == 1 else 'are'} off in the newest run alone"
        told = f" {off}: unconfirmed until a further run." if rows else ""
        of_all = self.nights.get(len(self.runs) - 1, [])
        return f" Newest run: {'; '.join(of_all)}.{told}" if of_all else told

    def _recently(self, word: str) -> str:
        every = [change for change in self.recent if change.verdict == word]
        changes = [change for change in every if change.whose != MACHINE_OWNS] or every
        worst = max(changes, key=lambda change: abs(np.log(change.ratio)))
        rows = numbers.count(len({change.series for change in changes}), "row")
        if worst.whose == MACHINE_OWNS:
            return f"{rows} {word} with all stacks, at most {numbers.ratio(worst.ratio)}: the machine, no library"
        return f"{rows} {word}, at most {numbers.ratio(worst.ratio)} ({self.case(worst.series)})"


def tell(campaign: Campaign) -> CampaignHistory:
    """What is known of a campaign. Raises FileError."""
    layouts = [run.layout for run in campaign.counted]
    if not layouts:
        return CampaignHistory(campaign, Found.none(), [])
    detected = Found.of(layouts, campaign.archive)
    columns = ["series", "run", "found", "before_us", "after_us", "ratio", "p_holm", "verdict", "whose"]
    lines = [Change(*line) for line in detected.told[columns].itertuples(index=False, name=None)]
    lines.sort(key=lambda each: (each.run, each.series))
    unconfirmed = [line for line in lines if line.verdict == UNCONFIRMED]
    changes = [line for line in lines if line.verdict != UNCONFIRMED]
    facts = facts_of_all(layouts, campaign.archive)
    nights = _nights(detected, unconfirmed)
    at = detected.told["run"]
    for run, sentence in configuration_sentences(layouts, detected.rows, detected.values, at, campaign.archive):
        nights.setdefault(run, []).append(sentence)
    return CampaignHistory(campaign, detected, changes, unconfirmed, nights, facts, _events(campaign, facts))


def case_words(row: Mapping[str, Any], *, point: bool) -> str:
    """`alltoall at 8 B with 4 processes on one node`, the last part where it is asked for."""
    size = f" at {numbers.size(row['bytes'])}" if row["bytes"] else ""
    return f"{row['operation']}{size}" + (f" with {labels.point(row)}" if point else "")


def _nights(changes: Found, unconfirmed: list[Change]) -> dict[int, list[str]]:
    """What is told of the machine and of its jobs, by run."""
    lines: dict[int, list[str]] = {}
    for run, ratio, verdict in changes.machine[["run", "ratio", "verdict"]].itertuples(index=False, name=None):
        times = f"all stacks take {numbers.ratio(ratio)} as long"
        lasts = verdict in (SLOWER, FASTER)
        only = "in this run, which is unconfirmed" if verdict == UNCONFIRMED else "in this run alone"
        text = f"the machine: {times} from this run on" if lasts else f"{labels.odd_job(ratio)}: {times} {only}"
        lines.setdefault(run, []).append(text)
    shared = [line for line in unconfirmed if line.whose == MACHINE_OWNS]
    if shared and shared[0].run not in lines:
        most = max(shared, key=lambda line: abs(np.log(line.ratio))).ratio
        cases = numbers.count(len(changes.rows.iloc[[line.series for line in shared]][CASE].drop_duplicates()), "case")
        text = f"all stacks take up to {numbers.ratio(most)} as long in {cases} of this run, which is unconfirmed"
        lines[shared[0].run] = [f"{labels.odd_job(most)}: {text}"]
    return lines


def _events(campaign: Campaign, facts: list[Facts]) -> dict[int, list[Difference]]:
    """Of each run what differs from the one before it."""
    pairs = zip(pairwise([run.layout for run in campaign.counted]), pairwise(facts), strict=True)
    events = {run: between(*two, *of_two) for run, (two, of_two) in enumerate(pairs, start=1)}
    return {run: each for run, each in events.items() if each}
