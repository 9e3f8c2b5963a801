# SPDX-License-Identifier: BSD-3-Clause
"""Two runs against each other, row by row: is a stack slower than it was?"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from isochron.postprocess.compare.cases import case_samples
from isochron.postprocess.compare.comparison import COMPARISON_COLUMNS, compare
from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.compare.samples import ABSENT, Key, Sample
from isochron.postprocess.reading.inputs import CASE, KEYS, RunInputs, planned_rows, results_of
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.values.summary import joined, summarise, usable

#: Columns: as for stacks, but `baseline` and `candidate` are runs, and every row has its stack.
BETWEEN_RUNS_COLUMNS = {**KEYS, **{name: meaning for name, meaning in COMPARISON_COLUMNS.items() if name not in CASE}}

#: Blocks of the second run are never blocks of the first, whatever their numbers.
APART = 1_000_000


def compare_runs(baseline: RunInputs, candidate: RunInputs) -> pd.DataFrame:
    """`BETWEEN_RUNS_COLUMNS`: every row that either run planned, by the rules (threshold, confidence) of `candidate`.

    An outer join: what only one of them has is `missing` or `new`. Holm's correction is over all rows.
    """
    analysis = candidate.campaign.analysis
    rules = Rules(analysis.threshold, analysis.confidence, candidate.campaign.seed)
    first = dict(_rows(baseline, rules))
    second = {key: _apart(sample) for key, sample in _rows(candidate, rules)}
    names = _names(baseline, candidate)
    keys = list(dict.fromkeys([*second, *first]))
    cases = (
        (key[1:], dict(zip(names, (first.get(key, ABSENT), second.get(key, ABSENT)), strict=True))) for key in keys
    )
    table = compare(cases, names, rules)
    table.insert(0, "stack", pd.Series([key[0] for key in keys], dtype=object))
    return table[list(BETWEEN_RUNS_COLUMNS)]


def _names(baseline: RunInputs, candidate: RunInputs) -> list[str]:
    """Names of the runs, made distinct where two copies of one run are compared."""
    first, second = baseline.layout.run_id, candidate.layout.run_id
    return [first, second if second != first else f"{second} (second)"]


def _rows(inputs: RunInputs, rules: Rules) -> Iterator[tuple[Key, Sample]]:
    """Every planned row (its ROW) with its launches."""
    rows = joined(read_table(inputs.layout, "launches"), read_table(inputs.layout, "measurements"))
    rows = results_of(rows, inputs)
    summary = summarise(planned_rows(inputs), rows, rules.confidence)
    for case, samples in case_samples(inputs, summary, usable(rows), rules.seed):
        yield from (((stack, *case), sample) for stack, sample in samples.items())


def _apart(sample: Sample) -> Sample:
    moved = {(block + APART, attempt): launches for (block, attempt), launches in sample.launches.items()}
    return Sample(moved, sample.believed, sample.verdict, sample.seed)
