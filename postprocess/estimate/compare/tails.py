# SPDX-License-Identifier: BSD-3-Clause
"""Long repetitions of stacks against each other: of each launch a quantile, compared as its median is.

All quantiles of all cases are one family of tests, corrected together, apart from that of the medians. So a quantile
stands in the place of an operation: `compare` knows no other difference between p99 of a case and a further case.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from isochron.postprocess.estimate.compare.comparison import PAIRS_COLUMNS, compare
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.estimate.values.tails import QUANTILES
from isochron.postprocess.ingest.inputs import CASE_KEYS, RESULT_KEY

#: Columns that have the meaning that they have in `comparison.csv`.
SAME = (
    "within_blocks", "in_turns", "blocks", "baseline_launches", "candidate_launches", "test", "p_value", "p_adjusted",
    "reason", "family",
)  # fmt: skip
TAIL_COMPARISON_COLUMNS = {
    **CASE_KEYS,
    "quantile": "`p95`, `p99` or `p99.9` of the repetitions",
    "baseline": PAIRS_COLUMNS["baseline"],
    "candidate": PAIRS_COLUMNS["candidate"],
    "baseline_us": "its quantile over all launches, as in `tails.csv`",
    "candidate_us": "its quantile over all launches, as in `tails.csv`",
    "ratio": "candidate / baseline: the factor between the quantiles of launches of the same block (Hodges-Lehmann), "
    "or of any launches where `within_blocks` is false; in turns, of the launches of a session",
    "ratio_low": PAIRS_COLUMNS["ratio_low"],
    "ratio_high": PAIRS_COLUMNS["ratio_high"],
    "confidence": "the confidence level that this interval really has",
    "verdict": "verdict on the candidate, with the words of `comparison.csv`; at most 5 % of the tables of a family "
    "(1 - `analysis.confidence`), all quantiles together, have a false `slower` or `faster`",
    **{name: PAIRS_COLUMNS[name] for name in SAME},
}


def compare_tails(
    tails: pd.DataFrame,
    launches: pd.DataFrame,
    summary: pd.DataFrame,
    slices: pd.DataFrame,
    rules: Rules,
    asked: tuple[list[str], Sequence[tuple[str, str]]],
) -> pd.DataFrame:
    """`PAIRS_COLUMNS` with `quantile`, `baseline_us`, `candidate_us`, where launches of both stacks have a quantile.

    `tails`: `TAIL_COLUMNS`; `launches`: usable rows with a column for each of `QUANTILES`; `summary`:
    `SUMMARY_COLUMNS`; `slices`: of launches in turns; `asked`: all stacks, and the pairs of the question.
    """
    long = [
        launches.assign(operation=_joined(launches, name), median_us=launches[name])[launches[name].notna()]
        for name in QUANTILES
    ]
    own = pd.concat(long, ignore_index=True)
    if not len(own):
        return pd.DataFrame(columns=[*PAIRS_COLUMNS, "quantile", "baseline_us", "candidate_us"])
    used = own.groupby(RESULT_KEY, as_index=False, sort=False).agg(launches_used=("launch_id", "size"))
    values = tails[[*RESULT_KEY, "quantile", "time_us"]].merge(summary[[*RESULT_KEY, "verdict", "reliable"]])
    values = values.assign(operation=_joined(values, values["quantile"])).rename(columns={"time_us": "median_us"})
    sides = rows_of(values.merge(used, on=RESULT_KEY), own, _sessions(own, slices))
    table = compare(sides, asked[0], rules, asked[1])
    table = table[(table["baseline_launches"] > 0) & (table["candidate_launches"] > 0)].reset_index(drop=True)
    names = [str(each).partition(" ") for each in table["operation"]]
    table = table.assign(quantile=[each[0] for each in names], operation=[each[2] for each in names])
    return table.rename(columns={f"{side}_median_us": f"{side}_us" for side in ("baseline", "candidate")})


def _joined(rows: pd.DataFrame, quantile: str | pd.Series[str]) -> pd.Series[str]:
    """What stands in the place of the operation."""
    joined: pd.Series[str] = quantile + " " + rows["operation"].astype(object)
    return joined


def _sessions(launches: pd.DataFrame, slices: pd.DataFrame) -> pd.DataFrame | None:
    """The launches that measured in turns as if their session had one round: those of a round are too few."""
    if not len(slices):
        return None
    session = slices.groupby("launch_id")["session"].first().rename("session").reset_index()
    joined = launches[["launch_id", "operation", "bytes", "median_us"]].merge(session, on="launch_id")
    return joined.assign(round=0)
