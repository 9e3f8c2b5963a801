# SPDX-License-Identifier: BSD-3-Clause
"""Several runs of one plan as one estimate, the run as a random effect: values of rows, and ratios of stacks.

Launches of a run share its night, so the run is the unit; `statistics/pooling` has the model. Of a run, the standard
error of a median is the width of its order-statistic interval over twice the normal quantile of the confidence that
the interval really has (Price and Bonett, J. Stat. Comput. Simul. 68, 2001, 295-305, after McKean and Schrader 1984).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from isochron.common.files import FileError
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS, KEYS, RESULT_KEY, RunInputs
from isochron.stats.launches import Values, order_statistic
from isochron.stats.pooling import Pooled, random_effect

#: What is told of anything that is pooled; `{}` is what the numbers are in.
POOLED = {
    "runs": "runs that have a reliable value",
    "pooled": "mean over runs{}",
    "low": "lower end of its interval, in which runs differ as much as they did",
    "high": "upper end of that interval",
    "between_runs": "standard deviation between runs, as a share of the value (0.02: 2 %)",
    "next_low": "lower end of the interval in which the value of a further run will lie; empty below three runs",
    "next_high": "upper end of that interval",
    "matched_p": "p value that runs differ by no more than their own launches do (Cochran's Q)",
}
VALUE_COLUMNS = {**KEYS, **{name: meaning.format(", in µs") for name, meaning in POOLED.items()}}
RATIO_COLUMNS = {
    **CASE_KEYS,
    "baseline": "the stack that the candidate is compared with",
    "candidate": "the stack that is compared",
    **{name: meaning.format(" of candidate / baseline, each ratio within one run") for name, meaning in POOLED.items()},
}


@dataclass(frozen=True)
class PooledRuns:
    """`values`: `VALUE_COLUMNS`; `ratios`: `RATIO_COLUMNS` of the pairs of the question; `medians`: (T, S) in µs."""

    runs: list[str]
    values: pd.DataFrame
    ratios: pd.DataFrame
    medians: Values


def pooled_runs(runs: list[RunInputs], archive: Archive) -> PooledRuns:
    """Pool runs of one plan, given in order of time. Raises FileError if plans differ or a run has no store."""
    _refuse_other_plans(runs)
    frames = [frame for some in archive.values([run.layout for run in runs]) for frame in some]
    confidence = runs[-1].campaign.analysis.confidence
    keys = pd.concat([frame[RESULT_KEY] for frame in frames]).drop_duplicates(ignore_index=True)
    sides = [_logs(frame, keys, confidence) for frame in frames]
    values, variances = (np.array([side[number] for side in sides]) for number in (0, 1))
    some = np.isfinite(values).any(axis=0)
    keys, values, variances = keys[some].reset_index(drop=True), values[:, some], variances[:, some]
    ratios = _ratios(keys, values, variances, runs[-1].asked.pairs, confidence)
    value_columns = _columns(keys, random_effect(values, variances, confidence))[list(VALUE_COLUMNS)]
    return PooledRuns([run.layout.run_id for run in runs], value_columns, ratios, np.exp(values))


def _refuse_other_plans(runs: list[RunInputs]) -> None:
    first = runs[0]
    for run in runs[1:]:
        if run.plan.digest != first.plan.digest:
            raise FileError(
                f"{run.layout.root}: measures another plan than {first.layout.root} ({run.plan.digest[:12]}, "
                f"{first.plan.digest[:12]}); give runs of one plan, or see `isochron compare`"
            )
    names = [run.layout.root for run in runs]
    if len(set(names)) < len(names):
        raise FileError(f"{names[0]}: a run was given twice; give each once")


def _logs(frame: pd.DataFrame, keys: pd.DataFrame, confidence: float) -> tuple[Values, Values]:
    """Logarithm of the reliable value of each row of a run, and its variance; NaN if not known."""
    reliable_rows = frame[frame["reliable"].to_numpy(dtype=bool)]
    lines = keys.merge(reliable_rows, on=RESULT_KEY, how="left")
    median, low, high = (lines[f"median{end}_us"].to_numpy(dtype=np.float64) for end in ("", "_low", "_high"))
    counts = lines["launches"].fillna(0).to_numpy(dtype=np.int64)
    quantiles = {int(n): _quantile(int(n), confidence) for n in np.unique(counts)}
    quantile = np.array([quantiles[int(n)] for n in counts])
    with np.errstate(all="ignore"):
        errors = (np.log(high) - np.log(low)) / (2 * quantile)
        values = np.where(median > 0, np.log(median), np.nan)
    return values, np.where(errors > 0, errors**2, np.nan)


def _quantile(launches: int, confidence: float) -> float:
    """The normal quantile of the confidence that the interval over so many launches really has."""
    if launches < 2:
        return np.nan
    return float(ndtri((1 + order_statistic(launches, confidence)[1]) / 2))


def _ratios(
    keys: pd.DataFrame, values: Values, variances: Values, pairs: list[tuple[str, str]], confidence: float
) -> pd.DataFrame:
    """Of each pair the cases that both stacks have. The variances of the two values add up."""
    numbered = keys.assign(number=np.arange(len(keys)))
    parts = []
    for baseline, candidate in pairs:
        one, other = (numbered[numbered["stack"] == stack] for stack in (baseline, candidate))
        both = one.merge(other, on=CASE, suffixes=("_baseline", "_candidate"))
        first, second = both["number_baseline"].to_numpy(), both["number_candidate"].to_numpy()
        pooled = random_effect(
            values[:, second] - values[:, first], variances[:, second] + variances[:, first], confidence
        )
        cases = both[CASE].assign(baseline=baseline, candidate=candidate)
        parts.append(_columns(cases, pooled)[list(RATIO_COLUMNS)])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(RATIO_COLUMNS))


def _columns(keys: pd.DataFrame, pooled: Pooled) -> pd.DataFrame:
    """Names and what was found of each, no longer as logarithms."""
    return keys.assign(
        runs=pooled.runs,
        pooled=np.exp(pooled.mean),
        low=np.exp(pooled.low),
        high=np.exp(pooled.high),
        between_runs=np.expm1(pooled.tau),
        next_low=np.exp(pooled.next_low),
        next_high=np.exp(pooled.next_high),
        matched_p=pooled.matched_p,
    )
