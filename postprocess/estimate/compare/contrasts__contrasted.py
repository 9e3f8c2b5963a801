# SPDX-License-Identifier: BSD-3-Clause
"""The campaign's contrasts against its results, stack by stack: the same points with other options of the engine.

Each stack is compared with itself, by the rules by which stacks are compared; rows of two contrasts never meet.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.comparison import ADJUSTED, COMPARISON_COLUMNS, compare_pair
from isochron.postprocess.estimate.compare.contrasts__contrast import contrast_summary
from isochron.postprocess.estimate.compare.pairs__pairs import Rules
from isochron.postprocess.estimate.compare.pairs__sides import rows_of
from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.ingest.inputs__inputs import CASE, KEYS, RunInputs, results_of

#: The results as one side of the comparison.
RESULTS = "results"
_LEFT_OUT = {*CASE, *ADJUSTED, "baseline", "candidate", "baseline_median_us", "candidate_median_us", "ratio", "p_value"}

#: Columns of `contrasts.csv`.
CONTRAST_COLUMNS = {
    **KEYS,
    "contrast": "name of the contrast",
    "options": "what it changes of the engine's options",
    "scheme": "its measurement scheme",
    "timer": "its timer",
    "buffers": "its buffers: `warm` or `cold`",
    "result_us": "value of the row in the results",
    "contrast_us": "its value in the contrast",
    "ratio": "contrast / results: the factor between launches of the same block, or between any launches where "
    "`within_blocks` is false",
    **{name: meaning for name, meaning in COMPARISON_COLUMNS.items() if name not in _LEFT_OUT},
}


def contrasted(inputs: RunInputs, summary: pd.DataFrame, rows: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """`CONTRAST_COLUMNS` of every row that a contrast has.

    `summary`: `SUMMARY_COLUMNS` of the results. `rows`: the rows of all launches, as `joined` gives them.
    """
    campaign, tables = inputs.campaign, []
    own = rows_of(summary, usable(results_of(rows, inputs)))
    families = max(1, len(campaign.all_contrasts) * len(campaign.stacks))
    for name, changes in campaign.all_contrasts.items():
        files, engine = inputs.plan.files_of_contrast(name), campaign.engine_of(name)
        again = contrast_summary(inputs, name, rows, rules.confidence)
        further = rows_of(again, usable(rows[rows["file"].isin(files)]))
        for stack in campaign.stacks:
            if stack in own and stack in further:
                table = compare_pair((RESULTS, name), (own[stack], further[stack]), rules, families)
                table = table[
                    table[CASE].apply(tuple, axis=1).isin(list(again[CASE].itertuples(index=False, name=None)))
                ]
                how = {"scheme": engine.scheme, "timer": engine.timer, "buffers": engine.buffers}
                tables.append(table.assign(stack=stack, contrast=name, options=_options(changes), **how))
    if not tables:
        return pd.DataFrame(columns=list(CONTRAST_COLUMNS))
    found = pd.concat(tables, ignore_index=True)
    found = found.rename(columns={"baseline_median_us": "result_us", "candidate_median_us": "contrast_us"})
    return found[list(CONTRAST_COLUMNS)]


def _options(changes: dict[str, Any]) -> str:
    """`buffers: cold, timer: tsc`."""
    return ", ".join(
        f"{name}: {str(value).lower() if isinstance(value, bool) else value}" for name, value in changes.items()
    )
