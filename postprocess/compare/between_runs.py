# SPDX-License-Identifier: BSD-3-Clause
"""Two runs against each other, row by row: is a stack slower than it was?"""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.compare.comparison import COMPARISON_COLUMNS, compare_pair
from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.compare.sides import Rows, rows_of
from isochron.postprocess.reading.inputs import CASE, KEYS, RunInputs, planned_rows, results_of
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.values.summary import joined, summarise, usable

#: Columns: as for stacks, but `baseline` and `candidate` are runs, and every row has its stack.
BETWEEN_RUNS_COLUMNS = {**KEYS, **{name: meaning for name, meaning in COMPARISON_COLUMNS.items() if name not in CASE}}

#: Blocks of the second run are never blocks of the first, whatever their numbers.
APART = 1_000_000


def compare_runs(baseline: RunInputs, candidate: RunInputs) -> pd.DataFrame:
    """`BETWEEN_RUNS_COLUMNS`: every row that either run planned, by the rules (threshold, confidence) of `candidate`.

    An outer join: what only one of them has is `missing` or `new`. The correction is over all rows.
    """
    analysis = candidate.campaign.analysis
    rules = Rules(analysis.threshold, analysis.confidence, candidate.campaign.seed)
    first, second = _rows(baseline, rules), _rows(candidate, rules)
    names, stacks = _names(baseline, candidate), list(dict.fromkeys([*second, *first]))
    none = next(iter(second.values()))
    nothing = Rows(none.summary.iloc[:0], none.launches.iloc[:0])
    tables = []
    for stack in stacks:
        sides = (first.get(stack, nothing), _apart(second.get(stack, nothing)))
        tables.append(compare_pair(names, sides, rules, len(stacks)).assign(stack=stack))
    return pd.concat(tables, ignore_index=True)[list(BETWEEN_RUNS_COLUMNS)]


def _names(baseline: RunInputs, candidate: RunInputs) -> tuple[str, str]:
    """Names of the runs, made distinct where two copies of one run are compared."""
    first, second = baseline.layout.run_id, candidate.layout.run_id
    return first, second if second != first else f"{second} (second)"


def _rows(inputs: RunInputs, rules: Rules) -> dict[str, Rows]:
    """Every planned row with its launches, by stack."""
    rows = joined(read_table(inputs.layout, "launches"), read_table(inputs.layout, "measurements"))
    rows = results_of(rows, inputs)
    return rows_of(summarise(planned_rows(inputs), rows, rules.confidence), usable(rows))


def _apart(rows: Rows) -> Rows:
    return Rows(rows.summary, rows.launches.assign(allocation=rows.launches["allocation"] + APART))
