# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says of further runs: an interval from how much ratios differed between the runs of the campaign.

The interval of a comparison is of its run. What differs from run to run (where memory lies, what else the machine does)
is the same for all blocks of a run, so that no run can know it alone. Between runs the variance of the logarithm of a
ratio is estimated of each comparison, moderated by those of all others of its kind: of versions of one library, or of
different libraries (G. K. Smyth: Linear Models and Empirical Bayes Methods …, 2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from isochron.common.files import FileError
from isochron.postprocess.estimate.compare.between_runs import had_library, library
from isochron.postprocess.ingest.inputs import CASE, RunInputs
from isochron.postprocess.ingest.store import parquet_errors
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.outputs import is_as_recorded
from isochron.stats.changes.estimates import MIN_SERIES, Prior, prior
from isochron.stats.launches import Values

#: Columns of `comparison.csv`.
AGAIN_COLUMNS = {
    "again_low": "lower end of the interval for further runs of the campaign on this machine: wider than that of this "
    "run by what differed between runs; empty if there was no earlier run with these libraries",
    "again_high": "upper end of that interval",
    "again_runs": "runs that have this comparison, this one included, of the newest twenty before it",
}
#: Earlier runs that are read at most, the newest.
LATEST = 20
#: What a comparison is.
PAIR = ["baseline", "candidate", *CASE]
READ = [*PAIR, "in_turns", "ratio"]


def earlier_comparisons(inputs: RunInputs) -> list[pd.DataFrame]:
    """Comparisons (`READ`) of earlier runs of the campaign beside this one, of stacks that had the same libraries.

    A run that is not analysed, or whose table is not what was recorded, is none.
    """
    layout, tables = inputs.layout, []
    folders = run_folders(layout.root.parent.parent, layout.root.parent.name)
    for folder in [each for each in folders if each.name < layout.run_id][-LATEST:]:
        with suppress(OSError, FileError, ValueError, KeyError):
            tables.append(_comparisons(RunLayout(folder), inputs))
    return [table for table in tables if len(table)]


def _comparisons(run: RunLayout, inputs: RunInputs) -> pd.DataFrame:
    path = run.kept("comparison")
    if not is_as_recorded(run, path):
        raise FileError(f"{path}: is not what was recorded")
    with parquet_errors(path, "analyse the run again"):
        table = pd.read_parquet(path, columns=READ)
    same = [
        stack
        for stack, manifest in inputs.manifests.items()
        if run.manifest(stack).is_file() and had_library(run, stack, library(manifest))
    ]
    return table[table["baseline"].isin(same) & table["candidate"].isin(same) & (table["ratio"] > 0)]


def note_again(
    table: pd.DataFrame, earlier: Sequence[pd.DataFrame], families: Mapping[str, str], confidence: float
) -> pd.DataFrame:
    """Return the comparisons with `AGAIN_COLUMNS`.

    `earlier`: comparisons of each earlier run (`READ`); `families`: the library of each stack.
    """
    logs = _logs(table, earlier)
    versions = (table["baseline"].map(families) == table["candidate"].map(families)).to_numpy()
    half_width = np.full(len(table), np.nan)
    for kind in (versions, ~versions):
        contrasts = _contrasts(table.loc[kind, ["baseline", "candidate"]])
        half_width[kind] = half_widths(logs[kind], contrasts, confidence)
    with np.errstate(divide="ignore"):
        low, high = (np.log(table[f"ratio_{end}"].to_numpy(dtype=np.float64)) for end in ("low", "high"))
    known = np.where(np.isfinite(low) & np.isfinite(high), half_width, np.nan)
    return table.assign(
        again_low=np.exp(np.minimum(low, logs[:, 0] - known)),
        again_high=np.exp(np.maximum(high, logs[:, 0] + known)),
        again_runs=np.isfinite(logs).sum(axis=1),
    )


def half_widths(logs: Values, contrasts: int, confidence: float) -> Values:
    """Half widths of intervals for the mean over many runs, around the value of one run; NaN without a second run.

    `logs`: shape (C, K), logarithms of C ratios in K runs, NaN where a run has none; `contrasts`: how many of them are
    independent at most. A run has its own deviation for each of these, whatever the number of ratios: together they
    know the variance no better than K - 1 deviations of each.
    """
    runs = np.isfinite(logs).sum(axis=1)
    several = runs > 1
    if not several.any():
        return np.full(len(logs), np.nan)
    variance = np.zeros(len(logs))
    variance[several] = np.nanvar(logs[several], axis=1, ddof=1)
    own = np.maximum(runs - 1, 0).astype(np.float64)
    most = float(contrasts * own.max())
    spread = several & (variance > 0)
    if spread.sum() >= MIN_SERIES:
        common = prior(variance[spread], own[spread])
        common = Prior(common.variance, min(common.freedom, most))
    else:
        common = Prior(float(np.average(variance[several], weights=own[several])), most)
    quantile = stdtrit(own + common.freedom, (1 + confidence) / 2)
    return np.asarray(quantile * np.sqrt(common.moderated(variance, own)), dtype=np.float64)


def _logs(table: pd.DataFrame, earlier: Sequence[pd.DataFrame]) -> Values:
    """Logarithms of the ratios, (C, K): of this run, then of each earlier one where it was measured in the same way."""
    keys = [*PAIR, "in_turns"]
    rows = pd.MultiIndex.from_frame(table[keys])
    ratios = [table["ratio"].to_numpy(dtype=np.float64)]
    ratios += [each.set_index(keys)["ratio"].reindex(rows).to_numpy(dtype=np.float64) for each in earlier]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.column_stack(ratios))
    return np.where(np.isfinite(logs), logs, np.nan)


def _contrasts(pairs: pd.DataFrame) -> int:
    """How many of these differences of stacks are independent: the rank of their matrix, pairs × stacks."""
    distinct = pairs.drop_duplicates()
    stacks = sorted({*distinct["baseline"], *distinct["candidate"]})
    matrix = np.zeros((len(distinct), len(stacks)))
    for row, (baseline, candidate) in enumerate(distinct.itertuples(index=False, name=None)):
        matrix[row, stacks.index(baseline)], matrix[row, stacks.index(candidate)] = -1, 1
    return int(np.linalg.matrix_rank(matrix)) if len(distinct) else 0


#: Verdicts whose claim an interval for further runs may show or not.
CLAIMS = ("slower", "faster", "equivalent", "not-slower", "not-faster")


def holds_again(table: pd.DataFrame, threshold: float) -> pd.Series[bool]:
    """Of each comparison whether the claim of its verdict holds for further runs, too.

    `table`: verdict, again_low, again_high.
    """
    factor, low, high = 1 + threshold, table["again_low"], table["again_high"]
    not_slower, not_faster = high <= factor, low >= 1 / factor
    shown = (low >= factor, high <= 1 / factor, not_slower & not_faster, not_slower, not_faster)
    holds = pd.Series(False, index=table.index)
    for verdict, claim in zip(CLAIMS, shown, strict=True):
        holds |= (table["verdict"] == verdict) & claim
    return holds


def turned_to(rows: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of `oriented` with again_low and again_high of their comparisons, turned as they are."""
    of_rows = comparison.loc[rows.index]
    forth = (rows["stack"] == of_rows["candidate"]).to_numpy()
    low, high = (of_rows[f"again_{end}"].to_numpy(dtype=np.float64) for end in ("low", "high"))
    return rows.assign(again_low=np.where(forth, low, 1 / high), again_high=np.where(forth, high, 1 / low))
