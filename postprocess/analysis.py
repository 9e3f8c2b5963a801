# SPDX-License-Identifier: BSD-3-Clause
"""The store → every table, in memory. All numbers that are printed anywhere come from here."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from postprocess.comparison import Key, Rules, Sample, compare, launch_runs, sample
from postprocess.first_calls import first_calls
from postprocess.inputs import CASE, ROW, RunInputs, planned_rows
from postprocess.launch_factors import launch_factors
from postprocess.leaders import leaders
from postprocess.store import read_table
from postprocess.summary import joined, summarise, usable
from postprocess.tables import verdict_table


@dataclass(frozen=True)
class Analysis:
    """All results of a run as data frames."""

    launches: pd.DataFrame
    summary: pd.DataFrame
    comparison: pd.DataFrame
    leaders: pd.DataFrame
    verdicts: pd.DataFrame
    first_calls: pd.DataFrame
    launch_factors: pd.Series


def analyse(inputs: RunInputs) -> Analysis:
    """Read the store and work everything out. Raises FileError when it is missing."""
    launches = read_table(inputs.layout, "launches")
    rows = joined(launches, read_table(inputs.layout, "measurements"))
    rules = Rules(inputs.campaign.analysis.threshold, inputs.campaign.analysis.confidence, inputs.campaign.seed)
    summary = summarise(planned_rows(inputs), rows, rules.confidence)
    cases = list(summary[CASE].drop_duplicates().itertuples(index=False, name=None))
    used = usable(rows)
    comparison = compare(_samples(inputs, summary, used, rules), cases, inputs.campaign.stacks, rules)
    return Analysis(
        launches=launches,
        summary=summary,
        comparison=comparison,
        leaders=leaders(summary, comparison),
        verdicts=verdict_table(summary, rows),
        first_calls=_in_plan_order(first_calls(rows), summary),
        launch_factors=launch_factors(used, summary),
    )


def _samples(inputs: RunInputs, summary: pd.DataFrame, rows: pd.DataFrame, rules: Rules) -> dict[Key, Sample]:
    """A sample for each planned row; the runs are read one operation at a time, for there are many."""
    samples: dict[Key, Sample] = {}
    for operation, part in summary.groupby("operation", sort=False):
        columns = ["launch_id", "operation", "bytes", "time_us", "valid"]
        runs = read_table(inputs.layout, "runs", columns=columns, operation=str(operation))
        timed = launch_runs(rows[rows["operation"] == operation], runs)
        for *row, believed, verdict in part[[*ROW, "believed", "verdict"]].itertuples(index=False, name=None):
            key = tuple(row)
            samples[key] = sample(key, timed.get(key, []), bool(believed), str(verdict), rules.seed)
    return samples


def _in_plan_order(table: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    return summary[ROW].merge(table, on=ROW, how="inner")
