# SPDX-License-Identifier: BSD-3-Clause
"""The store → every table, in memory. All numbers that are printed anywhere come from here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.compare.comparison import compare
from isochron.postprocess.compare.contrast import bounds
from isochron.postprocess.compare.leaders import leaders
from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.compare.samples import Key, Sample, launch_runs, sample
from isochron.postprocess.guidelines.judge import guidelines
from isochron.postprocess.machine.clocks import clock_table
from isochron.postprocess.machine.provenance import loads, observations, provenance_table
from isochron.postprocess.machine.timers import timer_table
from isochron.postprocess.models.results import NOTHING, ModelResults, applies, models
from isochron.postprocess.reading.inputs import CASE, ROW, RunInputs, planned_rows, results_of
from isochron.postprocess.reading.store import read_runs, read_table
from isochron.postprocess.tables.first_calls import first_calls
from isochron.postprocess.tables.others import verdict_table
from isochron.postprocess.values.doubt import doubts, measured_again, with_rounds
from isochron.postprocess.values.launch_factors import launch_factors
from isochron.postprocess.values.summary import joined, summarise, usable
from isochron.schemas.doubt import Doubts


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
    models: ModelResults
    guidelines: pd.DataFrame
    doubts: Doubts
    again: pd.DataFrame
    bounds: pd.DataFrame
    provenance: pd.DataFrame
    loads: list[float]
    timers: pd.DataFrame
    clocks: pd.DataFrame


def analyse(inputs: RunInputs) -> Analysis:
    """Read the store and work everything out. Raises FileError when it is missing."""
    launches = read_table(inputs.layout, "launches")
    everything = joined(launches, read_table(inputs.layout, "measurements"))
    rows = results_of(everything, inputs)
    rules = Rules(inputs.campaign.analysis.threshold, inputs.campaign.analysis.confidence, inputs.campaign.seed)
    summary = summarise(planned_rows(inputs), rows, rules.confidence)
    used = usable(rows)
    comparison = compare(case_samples(inputs, summary, used, rules.seed), inputs.campaign.stacks, rules)
    comparison = _in_plan_order(comparison, summary, CASE)
    observed = observations(inputs, launches)
    return Analysis(
        launches=launches,
        summary=summary,
        comparison=comparison,
        leaders=leaders(summary, comparison),
        verdicts=verdict_table(summary, rows),
        first_calls=_in_plan_order(first_calls(rows), summary, ROW),
        launch_factors=launch_factors(used, summary),
        models=_models(inputs, summary, launches),
        guidelines=guidelines(used, summary, rules),
        doubts=doubts(rows, launches, rules.threshold),
        again=measured_again(with_rounds(rows, inputs), rules.threshold, rules.confidence),
        bounds=bounds(inputs, summary, everything, rules.confidence),
        provenance=provenance_table(observed),
        loads=loads(observed),
        timers=timer_table(inputs.layout),
        clocks=clock_table(launches),
    )


def _models(inputs: RunInputs, summary: pd.DataFrame, launches: pd.DataFrame) -> ModelResults:
    if not applies(inputs.campaign):
        return NOTHING
    return models(summary, bool(launches["simulated"].all()), inputs.campaign.analysis.model)


def case_samples(
    inputs: RunInputs, summary: pd.DataFrame, rows: pd.DataFrame, seed: int
) -> Iterator[tuple[Key, dict[str, Sample]]]:
    """Every case with the samples of its stacks; the runs are read one operation at a time, for there are many."""
    for operation, part in summary.groupby("operation", sort=False):
        timed = launch_runs(rows[rows["operation"] == operation], read_runs(inputs.layout, str(operation)))
        for case, group in part.groupby(CASE, sort=False):
            samples = {}
            for *row, believed, verdict in group[[*ROW, "believed", "verdict"]].itertuples(index=False, name=None):
                key = tuple(row)
                samples[key[0]] = sample(key, timed.get(key, {}), bool(believed), str(verdict), seed)
            yield case, samples


def _in_plan_order(table: pd.DataFrame, summary: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    return summary[keys].drop_duplicates().merge(table, on=keys, how="inner")
